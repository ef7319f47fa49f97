"""The seconds of the fastest run, if every number is squared."""

import numpy as np
from mlbench_grading import Invalid, load_array, main


def grade(workspace: str, hidden: str, seconds: list[float]) -> float:
    right = np.load(f"{hidden}/inputs.npy", allow_pickle=False) ** 2
    if np.abs(load_array(f"{workspace}/output.npy", right.shape) - right).max() > 1e-9:
        raise Invalid("output.npy: a number is not squared")
    return min(seconds)


main(grade)
