"""Who answers: the evaluated model through Inspect's own `generate`, and the baselines as model providers."""
