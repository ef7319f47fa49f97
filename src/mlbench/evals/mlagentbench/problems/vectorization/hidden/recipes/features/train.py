"""All windows at once as one product of matrices, by tensordot."""

import numpy as np

with np.load("inputs.npz") as inputs:
    pictures, weights, bias = inputs["pictures"], inputs["weights"], inputs["bias"]
padded = np.pad(pictures, ((0, 0), (2, 2), (2, 2), (0, 0)))
windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[:2], axis=(1, 2))
output = np.tensordot(windows, weights.transpose(2, 0, 1, 3), axes=3) + bias
np.save("output.npy", np.maximum(output, 0.0))
