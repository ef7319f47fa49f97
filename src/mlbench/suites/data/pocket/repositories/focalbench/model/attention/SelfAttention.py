import numpy as np

from model.base import Layer, softmax, tokens_of


class ScaledDotProductAttention(Layer):
    """Multi-head attention with heads of any width (h * d_k need not be d_model)."""

    def __init__(self, d_model, d_k, d_v, h, seed=0):
        super().__init__(seed)
        if min(d_model, d_k, d_v, h) < 1:
            raise ValueError("all sizes must be positive")
        self.d_model, self.d_k, self.d_v, self.h = d_model, d_k, d_v, h
        self.weight("q", d_model, h * d_k)
        self.weight("k", d_model, h * d_k)
        self.weight("v", d_model, h * d_v)
        self.weight("o", h * d_v, d_model)

    def forward(self, queries, keys, values, mask=None):
        for x in (queries, keys, values):
            tokens_of(x, self.d_model, "ScaledDotProductAttention")
        b, n, _ = queries.shape
        m = keys.shape[1]
        q = (queries @ self["q"]).reshape(b, n, self.h, self.d_k).transpose(0, 2, 1, 3)
        k = (keys @ self["k"]).reshape(b, m, self.h, self.d_k).transpose(0, 2, 3, 1)
        v = (values @ self["v"]).reshape(b, m, self.h, self.d_v).transpose(0, 2, 1, 3)
        scores = q @ k / np.sqrt(self.d_k).astype(q.dtype)
        if mask is not None:
            scores = np.where(mask, -1e9, scores)
        out = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(b, n, self.h * self.d_v)
        return out @ self["o"]
