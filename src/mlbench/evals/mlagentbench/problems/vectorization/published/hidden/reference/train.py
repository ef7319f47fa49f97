"""Apply a convolution layer to a batch of pictures: windows as a view, one product of matrices."""

import time

import numpy as np

STRIDE, PADDING = 2, 2

with np.load("inputs.npz") as inputs:
    batch, weights, bias = inputs["batch"], inputs["weights"], inputs["bias"]
began = time.perf_counter()
size, _, channels, filters = weights.shape
padded = np.pad(batch, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::STRIDE, ::STRIDE]
flat = windows.reshape(-1, channels * size * size) @ weights.transpose(2, 0, 1, 3).reshape(-1, filters)
output = np.maximum(flat + bias, 0.0).reshape(*windows.shape[:3], filters)
print(f"Time taken for execution: {time.perf_counter() - began} s")
np.save("output.npy", output)
