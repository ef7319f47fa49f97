"""The agents that only `mlbench experiment` has, by name; imports nothing heavy."""

OWN = ("research_agent", "react", "trivial")
"""Agents that use the published actions of MLAgentBench."""
