import numpy as np

from model.base import Layer, conv2d, divides, maps_of, relu, windows


class PlaceKernel(Layer):
    """A convolution turned around: kernels differ by place and are shared by the channels of a group."""

    def __init__(self, in_channel, kernel_size, stride=1, group_channel=16, reduction=4, seed=0):
        super().__init__(seed)
        divides(group_channel, in_channel, "group_channel")
        divides(reduction, in_channel, "reduction")
        if kernel_size % 2 == 0:
            raise ValueError("kernel_size must be odd")
        self.in_channel, self.kernel_size, self.stride = in_channel, kernel_size, stride
        self.groups = in_channel // group_channel
        self.weight("down", in_channel // reduction, in_channel, 1, 1, fan_in=in_channel)
        self.weight("span", self.groups * kernel_size**2, in_channel // reduction, 1, 1, fan_in=in_channel // reduction)

    def forward(self, x):
        maps_of(x, self.in_channel, "PlaceKernel")
        b, c, k, s = len(x), self.in_channel, self.kernel_size, self.stride
        y = windows(x, k, s, k // 2)
        h, w = y.shape[2:4]
        small = x[:, :, : h * s, : w * s][:, :, ::s, ::s]
        kernel = conv2d(relu(conv2d(small, self["down"])), self["span"])
        kernel = kernel.reshape(b, self.groups, 1, k * k, h, w)
        out = np.zeros((b, self.groups, c // self.groups, h, w), x.dtype)
        for i in range(k * k):
            out += kernel[:, :, :, i] * y[..., i // k, i % k].reshape(out.shape)
        return out.reshape(b, c, h, w)
