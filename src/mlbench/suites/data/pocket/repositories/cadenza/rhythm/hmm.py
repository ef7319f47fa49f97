"""A discrete hidden Markov model, fitted by expectation-maximisation with scaling."""
import numpy as np

INITS = ("cycle", "uniform", "random", "sticky")


class HMM:
    def __init__(self, states, symbols=4, init="cycle", seed=1):
        if init not in INITS:
            raise ValueError(f"init must be one of {', '.join(INITS)}")
        rng = np.random.default_rng(seed)
        self.start = np.full(states, 1.0 / states)
        self.emit = rng.dirichlet(np.ones(symbols) * 2, states)
        if init == "cycle":
            moves = 0.05 + np.roll(np.eye(states), 1, axis=1)
        elif init == "sticky":
            moves = 0.1 + 2 * np.eye(states)
        elif init == "random":
            moves = rng.dirichlet(np.ones(states), states)
        else:
            moves = np.ones((states, states))
        self.moves = moves / moves.sum(axis=1, keepdims=True)

    def _passes(self, x):
        n, length = x.shape
        states = len(self.start)
        alpha = np.empty((length, n, states))
        scale = np.empty((length, n))
        for t in range(length):
            a = (self.start if t == 0 else alpha[t - 1] @ self.moves) * self.emit[:, x[:, t]].T
            scale[t] = a.sum(axis=1)
            alpha[t] = a / scale[t][:, None]
        beta = np.ones((length, n, states))
        for t in range(length - 2, -1, -1):
            beta[t] = ((beta[t + 1] * self.emit[:, x[:, t + 1]].T) @ self.moves.T) / scale[t + 1][:, None]
        return alpha, beta, scale

    def log_likelihood(self, x):
        """Per pulse."""
        return float(np.log(self._passes(x)[2]).mean())

    def fit(self, x, iterations, tolerance=0.0, log=None):
        last = -np.inf
        for step in range(iterations):
            alpha, beta, scale = self._passes(x)
            value = float(np.log(scale).mean())
            if log:
                log(step + 1, value)
            gamma = alpha * beta
            pair = np.zeros_like(self.moves)
            for t in range(x.shape[1] - 1):
                right = beta[t + 1] * self.emit[:, x[:, t + 1]].T / scale[t + 1][:, None]
                pair += self.moves * (alpha[t].T @ right)
            self.start = gamma[0].mean(axis=0)
            self.moves = (pair + 1e-6) / (pair + 1e-6).sum(axis=1, keepdims=True)
            for symbol in range(self.emit.shape[1]):
                self.emit[:, symbol] = gamma[(x == symbol).T].sum(axis=0) + 1e-3
            self.emit /= self.emit.sum(axis=1, keepdims=True)
            if value - last < tolerance:
                break
            last = value
        return self
