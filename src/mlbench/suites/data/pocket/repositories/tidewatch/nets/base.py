import numpy as np


class Net:
    """Parameters in a dict, gradients by hand."""

    def __init__(self, rng, dropout):
        self.rng = rng
        self.dropout = dropout
        self.params = {}

    def weight(self, *shape):
        return self.rng.normal(0.0, 1.0 / np.sqrt(shape[0]), shape)

    def drop(self, h, train):
        if not train or self.dropout == 0:
            return np.ones_like(h)
        return (self.rng.random(h.shape) >= self.dropout) / (1.0 - self.dropout)
