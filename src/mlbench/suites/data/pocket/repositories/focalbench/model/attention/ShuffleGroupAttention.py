import numpy as np

from model.base import Layer, divides, maps_of, sigmoid


class ShuffleGroupAttention(Layer):
    """Half of each group is gated by channel, half by place; then the channels are shuffled."""

    def __init__(self, channel, G=8, seed=0):
        super().__init__(seed)
        divides(2 * G, channel, "2 * G")
        self.channel, self.G = channel, G
        half = channel // (2 * G)
        for name in ("cw", "sw"):
            self.weight(name, half, fan_in=1)
        for name in ("cb", "sb"):
            self.zeros(name, half)

    def forward(self, x):
        maps_of(x, self.channel, "ShuffleGroupAttention")
        b, c, h, w = x.shape
        g = x.reshape(b * self.G, c // self.G, h, w)
        first, second = np.split(g, 2, axis=1)
        col = (None, slice(None), None, None)
        first = first * sigmoid(self["cw"][col] * first.mean((2, 3), keepdims=True) + self["cb"][col])
        mean, std = second.mean((2, 3), keepdims=True), second.std((2, 3), keepdims=True)
        second = second * sigmoid(self["sw"][col] * (second - mean) / (std + 1e-5) + self["sb"][col])
        out = np.concatenate([first, second], axis=1).reshape(b, 2, c // 2, h, w)
        return out.transpose(0, 2, 1, 3, 4).reshape(b, c, h, w)
