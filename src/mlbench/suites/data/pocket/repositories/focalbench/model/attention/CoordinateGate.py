import numpy as np

from model.base import Layer, divides, maps_of, relu, sigmoid


class CoordinateGate(Layer):
    """One gate for each row and one for each column of every channel."""

    def __init__(self, channel, reduction=8, seed=0):
        super().__init__(seed)
        divides(reduction, channel, "reduction")
        self.channel = channel
        self.weight("down", channel, channel // reduction)
        self.weight("rows", channel // reduction, channel)
        self.weight("columns", channel // reduction, channel)

    def forward(self, x):
        maps_of(x, self.channel, "CoordinateGate")
        rows = relu(x.mean(3).transpose(0, 2, 1) @ self["down"]) @ self["rows"]
        cols = relu(x.mean(2).transpose(0, 2, 1) @ self["down"]) @ self["columns"]
        return x * sigmoid(rows).transpose(0, 2, 1)[..., None] * sigmoid(cols).transpose(0, 2, 1)[:, :, None]
