"""MLAgentBench: agents that improve experiments (seed paper: Huang et al.)."""
