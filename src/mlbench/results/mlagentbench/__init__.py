"""Read, aggregate and show runs of MLAgentBench: how much agents improve a starter.

Enters: logs of `mlbench experiment`, and the steps that a run kept.
Leaves: tables in the terminal, and a section of the report.
"""
