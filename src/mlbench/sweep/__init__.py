"""Sweeps: many runs from one file, of models × settings × attempts × suites.

In: a YAML file. Out: one log for each run; a run that is finished is never made again.
"""
