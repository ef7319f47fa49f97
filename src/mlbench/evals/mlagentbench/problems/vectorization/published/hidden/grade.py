"""The seconds of the fastest run, if the array that was saved is the right one."""

import numpy as np
from mlbench_grading import Invalid, load_array, main

STRIDE, PADDING, NEAR = 2, 2, 1e-6


def grade(workspace: str, hidden: str, seconds: list[float]) -> float:
    with np.load(f"{hidden}/inputs.npz", allow_pickle=False) as inputs:
        right = convolution(inputs["batch"], inputs["weights"], inputs["bias"])
    far = float(np.abs(load_array(f"{workspace}/output.npy", right.shape) - right).max())
    if far > NEAR:
        raise Invalid(f"output.npy: a value is {far:.3g} away from the right one; at most {NEAR:g} is allowed")
    return min(seconds)


def convolution(batch: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """What the starter computes."""
    around = (PADDING, PADDING)
    padded = np.pad(batch, ((0, 0), around, around, (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[:2], axis=(1, 2))[:, ::STRIDE, ::STRIDE]
    return np.maximum(np.einsum("nhwcij,ijck->nhwk", windows, weights, optimize=True) + bias, 0.0)


main(grade)
