import numpy as np

from model.base import Layer, conv2d, divides, maps_of, relu, softmax


class KernelChoiceAttention(Layer):
    """Branches with kernels of several sizes; each channel chooses a mixture of them."""

    def __init__(self, channel, kernels=(1, 3, 5, 7), squeeze=32, groups=1, min_width=4, seed=0):
        super().__init__(seed)
        if any(k % 2 == 0 for k in kernels):
            raise ValueError("kernels must be odd")
        divides(groups, channel, "groups")
        if squeeze < 1:
            raise ValueError("squeeze must be positive")
        self.channel, self.kernels, self.groups = channel, tuple(kernels), groups
        width = max(min_width, channel // squeeze)
        for i, k in enumerate(self.kernels):
            fan = channel // groups * k * k
            self.weight(f"branch{i}", channel, channel // groups, k, k, fan_in=fan)
            self.weight(f"choose{i}", width, channel)
        self.weight("down", channel, width)

    def forward(self, x):
        maps_of(x, self.channel, "KernelChoiceAttention")
        branches = np.stack([
            relu(conv2d(x, self[f"branch{i}"], padding=k // 2, groups=self.groups)) for i, k in enumerate(self.kernels)
        ])
        z = branches.sum(0).mean((2, 3)) @ self["down"]
        choice = softmax(np.stack([z @ self[f"choose{i}"] for i in range(len(self.kernels))]), axis=0)
        return (branches * choice[..., None, None]).sum(0)
