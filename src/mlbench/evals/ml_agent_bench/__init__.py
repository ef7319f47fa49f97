"""ML-Agent-Bench: an agent sets up a repository and leaves a `run.sh` (ML-Bench, section 4).

In: rows of a suite, an agent's name, its budget. Out: an Inspect task with judged submissions.
The solver is `agents.agent_run.working`, which all benchmarks of agents share.
"""
