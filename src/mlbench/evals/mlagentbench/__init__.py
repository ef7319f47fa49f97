"""MLAgentBench: agents that improve a research problem's starter code (Huang et al.).

Enters: problems (folders with a `task.yaml`), an agent, a budget.
Leaves: a log with one score per attempt, and the recorded steps of each attempt.
"""
