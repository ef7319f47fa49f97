"""The agents that only `mlbench experiment` has, by name; imports nothing heavy."""

OWN = {
    "research_agent": "the agent of MLAgentBench, on its actions",
    "tree_search": "drafts, mends and improves whole scripts in the manner of AIDE, on the same actions",
    "react": "Inspect's ReAct, on the same actions",
    "human": "a person, in a folder on this machine",
    "trivial": "runs the starter and submits; asks no model",
}
"""What each of these agents is. All but the person use the published actions of MLAgentBench."""
