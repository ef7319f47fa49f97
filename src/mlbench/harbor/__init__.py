"""Exchange with Harbor (harborframework.com): tasks that it can run, and results of its jobs.

In: rows of a suite, or the folder of a job. Out: a folder of tasks, or a log as `mlbench agent` writes it.
Harbor itself is never imported: only its files are written and read.
"""
