"""The convolution as one product of matrices for each place of the window."""

import numpy as np

PADDING = 2
with np.load("inputs.npz") as inputs:
    pictures, weights, bias = inputs["pictures"], inputs["weights"], inputs["bias"]
size, _, channels, filters = weights.shape
padded = np.pad(pictures, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))
output = np.tensordot(windows, weights, axes=((4, 5, 3), (0, 1, 2))) + bias
np.save("output.npy", np.maximum(output, 0.0).astype(np.float64))
