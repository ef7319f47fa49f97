"""What a model is shown: the settings of ML-LLM-Bench, as strictly rendered templates."""
