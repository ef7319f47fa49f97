import numpy as np

from model.base import Layer, sigmoid, tokens_of


class PositionFreeAttention(Layer):
    """No dot products: keys are pooled with weights exp(k + pairwise bias), queries only gate."""

    def __init__(self, d_model, n=49, simple=False, seed=0):
        super().__init__(seed)
        self.d_model, self.n, self.simple = d_model, n, simple
        for name in "qkv":
            self.weight(name, d_model, d_model)
        if not simple:
            self.weight("bias", n, n, fan_in=n)

    def forward(self, x):
        tokens_of(x, self.d_model, "PositionFreeAttention")
        if not self.simple and x.shape[1] != self.n:
            raise ValueError(f"made for {self.n} tokens, got {x.shape[1]}")
        q, k, v = sigmoid(x @ self["q"]), x @ self["k"], x @ self["v"]
        k = np.exp(k - k.max(1, keepdims=True))
        if self.simple:
            return q * (k * v).sum(1, keepdims=True) / k.sum(1, keepdims=True)
        w = np.exp(self["bias"])
        return q * (w @ (k * v)) / (w @ k)
