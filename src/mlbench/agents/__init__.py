"""Agents: how they are named, made, installed and run, and how their work ended.

In: a sample's messages and its sandbox. Out: what the agent leaves in the sandbox, and an `AgentRun` record.
`registry` has the rows, `agent_run` runs one, `sandbox_bridge` runs external agents, `ml_agent` is the v1 paper's.
"""
