"""Results of experiments: agents that improve a starter, and how much better what they left is (MLAgentBench)."""
