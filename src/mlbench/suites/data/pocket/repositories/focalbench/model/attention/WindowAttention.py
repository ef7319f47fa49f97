import numpy as np

from model.attention.SelfAttention import ScaledDotProductAttention
from model.base import Layer, divides, maps_of


class WindowAttention(Layer):
    """Attention inside square windows of a feature map; shift rolls the map by half a window."""

    def __init__(self, channel, window=7, heads=4, shift=False, seed=0):
        super().__init__(seed)
        divides(heads, channel, "heads")
        self.channel, self.window, self.shift = channel, window, shift
        self.inner = ScaledDotProductAttention(channel, channel // heads, channel // heads, heads, seed=seed)
        self.params = self.inner.params

    def forward(self, x):
        maps_of(x, self.channel, "WindowAttention")
        b, c, h, w = x.shape
        s = self.window
        divides(s, h, "window and height")
        divides(s, w, "window and width")
        if self.shift:
            x = np.roll(x, (-(s // 2), -(s // 2)), axis=(2, 3))
        t = x.reshape(b, c, h // s, s, w // s, s).transpose(0, 2, 4, 3, 5, 1).reshape(-1, s * s, c)
        t = self.inner(t, t, t)
        y = t.reshape(b, h // s, w // s, s, s, c).transpose(0, 5, 1, 3, 2, 4).reshape(b, c, h, w)
        return np.roll(y, (s // 2, s // 2), axis=(2, 3)) if self.shift else y
