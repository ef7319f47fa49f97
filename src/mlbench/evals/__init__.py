"""Benchmarks, one folder each: task, dataset, solver, scorer, eval.yaml, README.

In: a suite's rows or a research problem, and the options of a run. Out: an Inspect task, whose log `results/` reads.
A task file only assembles; the logic is in the modules beside it.
"""
