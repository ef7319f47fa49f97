"""Read runs from logs, compute statistics, and show them as tables and as a report.

Enters: Inspect logs that `mlbench eval`, `agent` and `experiment` wrote.
Leaves: tables in the terminal, one HTML page, verdicts as JSON Lines.
"""
