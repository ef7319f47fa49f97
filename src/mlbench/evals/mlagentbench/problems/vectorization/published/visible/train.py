"""Apply a convolution layer to a batch of pictures, one output value at a time, and report how long it takes."""

import time

import numpy as np


class Conv2DLayer:
    """A convolution layer of (size, size, channels, filters) weights, with ReLU."""

    def __init__(self, weights: np.ndarray, bias: np.ndarray, stride: int, padding: int) -> None:
        self.weights, self.bias = weights, bias
        self.stride, self.padding = stride, padding

    def convolution_step(self, window: np.ndarray, weights: np.ndarray, bias: float) -> float:
        """The value of one filter at one place."""
        return np.sum(np.multiply(window, weights)) + bias

    def forward(self, batch: np.ndarray) -> np.ndarray:
        """Pictures (count, height, width, channels) to (count, rows, columns, filters)."""
        count, height, width, _ = batch.shape
        size, _, _, filters = self.weights.shape
        around = (self.padding, self.padding)
        padded = np.pad(batch, ((0, 0), around, around, (0, 0)))
        rows = (height + 2 * self.padding - size) // self.stride + 1
        columns = (width + 2 * self.padding - size) // self.stride + 1
        output = np.zeros((count, rows, columns, filters))
        for index in range(count):
            for row in range(rows):
                for column in range(columns):
                    for k in range(filters):
                        top, left = row * self.stride, column * self.stride
                        window = padded[index, top : top + size, left : left + size, :]
                        weights, bias = self.weights[:, :, :, k], self.bias[k]
                        output[index, row, column, k] = self.convolution_step(window, weights, bias)
        return output * (output > 0)


if __name__ == "__main__":
    with np.load("inputs.npz") as inputs:
        batch, weights, bias = inputs["batch"], inputs["weights"], inputs["bias"]
    began = time.perf_counter()
    output = Conv2DLayer(weights, bias, stride=2, padding=2).forward(batch)
    print(f"Time taken for execution: {time.perf_counter() - began} s")
    np.save("output.npy", output)
