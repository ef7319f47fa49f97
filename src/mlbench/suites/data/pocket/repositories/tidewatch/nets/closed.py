"""Models with nothing to iterate: they are fitted once."""
import numpy as np


class AutoReg:
    """AR(order) by ridge regression, rolled forward."""

    def __init__(self, length, out, order, ridge):
        if not 1 <= order <= length:
            raise ValueError("ar_order must lie between 1 and the input length")
        if ridge < 0:
            raise ValueError("ridge must not be negative")
        self.out, self.order, self.ridge = out, order, ridge
        self.params = {}

    def fit(self, x, y):
        series = np.concatenate([x, y[:, :1]], axis=1)
        past, now = series[:, -self.order - 1:-1], series[:, -1]
        past = np.concatenate([past, np.ones((len(past), 1))], axis=1)
        gram = past.T @ past + self.ridge * np.eye(past.shape[1])
        self.params["phi"] = np.linalg.solve(gram, past.T @ now)

    def forward(self, x, train=False):
        phi = self.params["phi"]
        window = x[:, -self.order:].copy()
        steps = []
        for _ in range(self.out):
            nxt = window @ phi[:-1] + phi[-1]
            steps.append(nxt)
            window = np.concatenate([window[:, 1:], nxt[:, None]], axis=1)
        return np.stack(steps, axis=1)


class Persist:
    """Repeat the last season."""

    def __init__(self, length, out, season):
        if not 1 <= season <= length:
            raise ValueError("season must lie between 1 and the input length")
        self.out, self.season = out, season
        self.params = {}

    def fit(self, x, y):
        self.params["season"] = np.array(self.season)

    def forward(self, x, train=False):
        return x[:, len(x[0]) - self.season + np.arange(self.out) % self.season]
