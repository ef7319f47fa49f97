"""One module per task; ``run(args)`` trains or tests and returns the metrics."""
from importlib import import_module

TASKS = {"long_horizon": "jobs.long", "short_horizon": "jobs.short", "imputation": "jobs.impute",
         "anomaly": "jobs.anomaly", "classification": "jobs.classify"}


def get(task):
    return import_module(TASKS[task]).run
