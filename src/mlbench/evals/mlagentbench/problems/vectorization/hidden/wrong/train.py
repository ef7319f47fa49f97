"""A fast convolution, but a true one: the filters are turned around, which the layer does not do."""

import numpy as np

PADDING = 2

with np.load("inputs.npz") as inputs:
    pictures, weights, bias = inputs["pictures"], inputs["weights"][::-1, ::-1], inputs["bias"]
size = len(weights)
padded = np.pad(pictures, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))
np.save("output.npy", np.maximum(np.tensordot(windows, weights.transpose(2, 0, 1, 3), axes=3) + bias, 0.0))
