"""The agents that only `mlbench experiment` has, by name; imports nothing heavy."""

OWN = {
    "research_agent": "the agent of MLAgentBench, on its actions",
    "react": "Inspect's ReAct, on the same actions",
    "trivial": "runs the starter and submits; asks no model",
}
"""What each of these agents is. They use the published actions of MLAgentBench."""
