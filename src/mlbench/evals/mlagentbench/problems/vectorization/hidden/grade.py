"""The seconds of the fastest run, if the array that was saved is the right one."""

import numpy as np
from mlbench_grading import Invalid, load_array, main

PADDING, NEAR = 2, 1e-6


def grade(workspace: str, hidden: str, seconds: list[float]) -> float:
    with np.load(f"{hidden}/inputs.npz", allow_pickle=False) as inputs:
        right = convolution(inputs["pictures"], inputs["weights"], inputs["bias"])
    found = load_array(f"{workspace}/output.npy", right.shape)
    if found.dtype != np.float64:
        raise Invalid(f"output.npy: its type is {found.dtype}, wanted is float64")
    far = float(np.abs(found - right).max())
    if far > NEAR:
        raise Invalid(f"output.npy: a value is {far:.3g} away from the right one; at most {NEAR:g} is allowed")
    return min(seconds)


def convolution(pictures: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """As the starter computes it: stride 1, ReLU."""
    around = (PADDING, PADDING)
    padded = np.pad(pictures, ((0, 0), around, around, (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[:2], axis=(1, 2))
    return np.maximum(np.einsum("nhwcij,ijck->nhwk", windows, weights, optimize=True) + bias, 0.0)


main(grade)
