"""All windows at once, multiplied by every filter with einsum."""

import numpy as np

with np.load("inputs.npz") as inputs:
    pictures, weights, bias = inputs["pictures"], inputs["weights"], inputs["bias"]
padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)))
windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[:2], axis=(1, 2))
np.save("output.npy", np.maximum(np.einsum("nhwcij,ijck->nhwk", windows, weights) + bias, 0.0))
