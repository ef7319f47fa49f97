import numpy as np

from nets.base import Net


class PatchLin(Net):
    """Overlapping patches, a shared tanh embedding with a position term, one head."""

    def __init__(self, length, out, rng, d_model, dropout, patch_len, stride):
        super().__init__(rng, dropout)
        if not 1 <= patch_len <= length:
            raise ValueError("patch_len must lie between 1 and the input length")
        starts = np.arange(0, length - patch_len + 1, stride)
        self.index = starts[:, None] + np.arange(patch_len)[None]
        count = len(starts)
        self.params = {"embed": self.weight(patch_len, d_model),
                       "position": 0.02 * rng.normal(size=(count, d_model)),
                       "head": self.weight(count * d_model, out), "bias": np.zeros(out)}

    def forward(self, x, train=False):
        p = self.params
        self.patches = x[:, self.index]                          # n, count, patch
        self.h = np.tanh(self.patches @ p["embed"] + p["position"])
        self.mask = self.drop(self.h, train)
        self.flat = (self.h * self.mask).reshape(len(x), -1)
        return self.flat @ p["head"] + p["bias"]

    def backward(self, dy):
        dh = (dy @ self.params["head"].T).reshape(self.h.shape) * self.mask * (1 - self.h ** 2)
        width = self.index.shape[1]
        return {"embed": self.patches.reshape(-1, width).T @ dh.reshape(-1, dh.shape[-1]),
                "position": dh.sum(0), "head": self.flat.T @ dy, "bias": dy.sum(0)}
