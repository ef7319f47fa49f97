from model.base import Layer, divides, maps_of, relu, sigmoid


class SqueezeAttention(Layer):
    """Channel gates from the global average."""

    def __init__(self, channel, reduction=16, seed=0):
        super().__init__(seed)
        divides(reduction, channel, "reduction")
        self.channel = channel
        self.weight("down", channel, channel // reduction)
        self.weight("up", channel // reduction, channel)

    def forward(self, x):
        maps_of(x, self.channel, "SqueezeAttention")
        gate = sigmoid(relu(x.mean((2, 3)) @ self["down"]) @ self["up"])
        return x * gate[:, :, None, None]
