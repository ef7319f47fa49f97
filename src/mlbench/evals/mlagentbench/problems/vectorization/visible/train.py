"""Apply a convolution layer with ReLU to pictures, one output value at a time."""

import time

import numpy as np

PADDING, STRIDE = 2, 1


def convolution(pictures: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Pictures (n, h, w, channels), weights (size, size, channels, filters), bias (filters) to (n, h, w, filters)."""
    count, height, width, _ = pictures.shape
    size, _, _, filters = weights.shape
    padded = np.pad(pictures, ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
    rows = (height + 2 * PADDING - size) // STRIDE + 1
    columns = (width + 2 * PADDING - size) // STRIDE + 1
    output = np.zeros((count, rows, columns, filters))
    for i in range(count):
        for row in range(rows):
            for column in range(columns):
                top, left = row * STRIDE, column * STRIDE
                window = padded[i, top : top + size, left : left + size]
                for k in range(filters):
                    output[i, row, column, k] = max(0.0, np.sum(window * weights[:, :, :, k]) + bias[k])
    return output


with np.load("inputs.npz") as inputs:
    began = time.perf_counter()
    output = convolution(inputs["pictures"], inputs["weights"], inputs["bias"])
print(f"{time.perf_counter() - began:.2f} seconds")
np.save("output.npy", output)
