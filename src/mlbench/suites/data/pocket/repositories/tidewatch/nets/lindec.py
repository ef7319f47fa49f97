import numpy as np

from nets.base import Net


def averaging_matrix(length, width):
    """Moving average with edge replication, as a matrix."""
    half = width // 2
    out = np.zeros((length, length))
    for i in range(length):
        for j in range(i - half, i - half + width):
            out[i, min(max(j, 0), length - 1)] += 1.0 / width
    return out


class LinDec(Net):
    """Trend by a moving average, the rest is called season; one linear map each."""

    def __init__(self, length, out, rng, moving_avg, dropout):
        super().__init__(rng, dropout)
        if not 1 <= moving_avg <= length:
            raise ValueError("moving_avg must lie between 1 and the input length")
        self.average = averaging_matrix(length, moving_avg).T
        self.params = {"trend": np.full((length, out), 1.0 / length),
                       "season": np.full((length, out), 1.0 / length), "bias": np.zeros(out)}

    def forward(self, x, train=False):
        x = x * self.drop(x, train)
        self.t = x @ self.average
        self.s = x - self.t
        return self.t @ self.params["trend"] + self.s @ self.params["season"] + self.params["bias"]

    def backward(self, dy):
        return {"trend": self.t.T @ dy, "season": self.s.T @ dy, "bias": dy.sum(0)}
