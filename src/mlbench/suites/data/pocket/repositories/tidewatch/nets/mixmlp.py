import numpy as np

from nets.base import Net


class MixMLP(Net):
    """One hidden layer of d_model units over the whole window."""

    def __init__(self, length, out, rng, d_model, dropout):
        super().__init__(rng, dropout)
        self.params = {"w1": self.weight(length, d_model), "b1": np.zeros(d_model),
                       "w2": self.weight(d_model, out), "b2": np.zeros(out)}

    def forward(self, x, train=False):
        p = self.params
        self.x = x
        pre = x @ p["w1"] + p["b1"]
        self.on = (pre > 0) * self.drop(pre, train)
        self.h = pre * self.on
        return self.h @ p["w2"] + p["b2"]

    def backward(self, dy):
        dh = dy @ self.params["w2"].T * self.on
        return {"w1": self.x.T @ dh, "b1": dh.sum(0), "w2": self.h.T @ dy, "b2": dy.sum(0)}
