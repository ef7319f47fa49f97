import numpy as np

from model.base import Layer, conv2d, divides, maps_of, relu, sigmoid


class DualGateAttention(Layer):
    """A channel gate (average and maximum share one bottleneck), then a spatial gate."""

    def __init__(self, channel, reduction=16, kernel_size=7, seed=0):
        super().__init__(seed)
        divides(reduction, channel, "reduction")
        if kernel_size % 2 == 0:
            raise ValueError("kernel_size must be odd")
        self.channel, self.kernel_size = channel, kernel_size
        self.weight("down", channel, channel // reduction)
        self.weight("up", channel // reduction, channel)
        self.weight("spatial", 1, 2, kernel_size, kernel_size, fan_in=2 * kernel_size**2)

    def forward(self, x):
        maps_of(x, self.channel, "DualGateAttention")
        mean, top = (relu(p @ self["down"]) @ self["up"] for p in (x.mean((2, 3)), x.max((2, 3))))
        y = x * sigmoid(mean + top)[:, :, None, None]
        both = np.stack([y.mean(1), y.max(1)], axis=1)
        return x + y * sigmoid(conv2d(both, self["spatial"], padding=self.kernel_size // 2))
