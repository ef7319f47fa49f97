"""Checks of suites, for `mlbench suites check` and `mlbench suites lock`.

Enters: a suite with its recipes or its file of rows.
Leaves: faults, one line each; none if the suite is sound.
"""
