from model.base import Layer, conv2d, maps_of


class SeparableConv2d(Layer):
    def __init__(self, in_ch, out_ch, kernel_size=3, stride=1, padding=1, seed=0):
        super().__init__(seed)
        self.in_ch, self.stride, self.padding = in_ch, stride, padding
        self.weight("depth", in_ch, 1, kernel_size, kernel_size, fan_in=kernel_size**2)
        self.weight("point", out_ch, in_ch, 1, 1, fan_in=in_ch)

    def forward(self, x):
        maps_of(x, self.in_ch, "SeparableConv2d")
        x = conv2d(x, self["depth"], self.stride, self.padding, groups=self.in_ch)
        return conv2d(x, self["point"])
