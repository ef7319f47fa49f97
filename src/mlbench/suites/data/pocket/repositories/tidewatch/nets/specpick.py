import numpy as np

from nets.base import Net


class SpecPick(Net):
    """Split a window into its top_k strongest frequencies and the remainder."""

    def __init__(self, length, out, rng, top_k, dropout):
        super().__init__(rng, dropout)
        if not 1 <= top_k <= length // 2:
            raise ValueError("top_k must lie between 1 and half of the input length")
        self.length, self.top_k = length, top_k
        self.params = {"strong": 0.3 * self.weight(length, out), "weak": 0.3 * self.weight(length, out),
                       "bias": np.zeros(out)}

    def forward(self, x, train=False):
        x = x * self.drop(x, train)
        spectrum = np.fft.rfft(x, axis=1)
        power = np.abs(spectrum)
        power[:, 0] = 0
        cut = np.partition(power, -self.top_k, axis=1)[:, -self.top_k, None]
        self.s = np.fft.irfft(np.where(power >= cut, spectrum, 0), n=self.length, axis=1)
        self.w = x - self.s
        return self.s @ self.params["strong"] + self.w @ self.params["weak"] + self.params["bias"]

    def backward(self, dy):
        return {"strong": self.s.T @ dy, "weak": self.w.T @ dy, "bias": dy.sum(0)}
