from model.attention.SelfAttention import ScaledDotProductAttention
from model.base import Layer, divides, tokens_of


class PoolReducedAttention(Layer):
    """Keys and values come from a pooled map: H x W tokens, ratio x ratio of them averaged."""

    def __init__(self, d_model, h, H=7, W=7, ratio=7, seed=0):
        super().__init__(seed)
        divides(ratio, H, "ratio and H")
        divides(ratio, W, "ratio and W")
        divides(h, d_model, "heads")
        self.d_model, self.H, self.W, self.ratio = d_model, H, W, ratio
        self.inner = ScaledDotProductAttention(d_model, d_model // h, d_model // h, h, seed=seed)
        self.params = self.inner.params

    def forward(self, x):
        tokens_of(x, self.d_model, "PoolReducedAttention")
        b, n, d = x.shape
        if n != self.H * self.W:
            raise ValueError(f"made for {self.H} x {self.W} tokens, got {n}")
        r = self.ratio
        small = x.reshape(b, self.H // r, r, self.W // r, r, d).mean((2, 4)).reshape(b, -1, d)
        return self.inner(x, small, small)
