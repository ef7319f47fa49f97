import numpy as np

from model.base import Layer, maps_of, sigmoid


class NeighbourChannelAttention(Layer):
    """Channel gates from a 1-d convolution over neighbouring channels; k weights in all."""

    def __init__(self, kernel_size=3, seed=0):
        super().__init__(seed)
        if kernel_size % 2 == 0:
            raise ValueError("kernel_size must be odd")
        self.kernel_size = kernel_size
        self.weight("kernel", kernel_size)

    def forward(self, x):
        maps_of(x, None, "NeighbourChannelAttention")
        pad = self.kernel_size // 2
        pooled = np.pad(x.mean((2, 3)), ((0, 0), (pad, pad)))
        view = np.lib.stride_tricks.sliding_window_view(pooled, self.kernel_size, axis=1)
        return x * sigmoid(view @ self["kernel"])[:, :, None, None]
