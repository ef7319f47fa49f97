"""The denoiser: a small MLP that is told the noise level and, most of the time, the label."""
import numpy as np

DATA_STD = 0.7


def _sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def _activate(name, x):
    """Value and derivative."""
    if name == "relu":
        return np.maximum(x, 0), (x > 0).astype(float)
    if name == "tanh":
        y = np.tanh(x)
        return y, 1 - y * y
    s = _sigmoid(x if name == "silu" else 1.702 * x)
    return x * s, s * (1 + (x if name == "silu" else 1.702 * x) * (1 - s))


class Denoiser:
    def __init__(self, pixels, labels, width, depth, activation, seed=0):
        rng = np.random.default_rng(seed)
        self.pixels, self.labels, self.activation = pixels, labels, activation
        sizes = [pixels + 2 + labels] + [width] * depth + [pixels]
        self.weights = []
        for a, b in zip(sizes, sizes[1:]):
            self.weights += [rng.normal(0, np.sqrt(1.5 / a), (a, b)), np.zeros(b)]
        self.weights[-2] *= 0.1

    def _scales(self, sigma):
        sigma = np.reshape(sigma, (-1, 1))
        total = np.sqrt(sigma ** 2 + DATA_STD ** 2)
        return DATA_STD ** 2 / total ** 2, sigma * DATA_STD / total, 1 / total, np.log(sigma) / 4

    def _network(self, x):
        self.tape = []
        last = len(self.weights) - 2
        for i in range(0, last + 1, 2):
            inputs = x
            x = x @ self.weights[i] + self.weights[i + 1]
            slope = None
            if i < last:
                x, slope = _activate(self.activation, x)
            self.tape.append((inputs, slope))
        return x

    def __call__(self, x, sigma, labels):
        """The clean picture as guessed from the noisy one; label -1 stands for "not told"."""
        sigma = np.broadcast_to(sigma, len(x))
        skip, out, scale, level = self._scales(sigma)
        told = np.zeros((len(x), self.labels))
        told[np.arange(len(x)), labels] = 1.0
        told[np.asarray(labels) < 0] = 0.0
        self.out = out
        return skip * x + out * self._network(np.concatenate([x * scale, level, level ** 2, told], 1))

    def gradients(self, g):
        """Gradients of all weights from the gradient at the last output."""
        g = g * self.out
        grads = [None] * len(self.weights)
        for k in range(len(self.tape) - 1, -1, -1):
            inputs, slope = self.tape[k]
            if slope is not None:
                g = g * slope
            grads[2 * k], grads[2 * k + 1] = inputs.T @ g, g.sum(0)
            if k:
                g = g @ self.weights[2 * k].T
        return grads


def train(model, images, labels, *, iterations, batch, lr, sigma_min, sigma_max, label_dropout,
          weighting="flat", ema=True, seed=0, report=None):
    """Denoising score matching with Adam. Returns the loss of every iteration."""
    rng = np.random.default_rng(seed + 1)
    moments = [(np.zeros_like(w), np.zeros_like(w)) for w in model.weights]
    average = [w.copy() for w in model.weights]
    low, high = np.log(sigma_min), np.log(sigma_max)
    losses = []
    for step in range(1, iterations + 1):
        pick = rng.integers(len(images), size=batch)
        clean, told = images[pick], labels[pick].copy()
        told[rng.random(batch) < label_dropout] = -1
        sigma = np.exp(rng.uniform(low, high, batch))
        error = model(clean + sigma[:, None] * rng.normal(size=clean.shape), sigma, told) - clean
        weight = 1 / sigma ** 2 + 1 / DATA_STD ** 2 if weighting == "flat" else 1 / (sigma ** 2 + 0.1)
        losses.append(float((weight[:, None] * error ** 2).mean()))
        rate = lr * min(1.0, step / 20)
        for w, a, (m, v), g in zip(model.weights, average, moments,
                                   model.gradients(2 * weight[:, None] * error / error.size)):
            m += 0.1 * (g - m)
            v += 0.01 * (g * g - v)
            w -= rate * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.99 ** step)) + 1e-8)
            if ema:
                a += max(0.02, 1 / (step + 1)) * (w - a)
        if report and (step % max(1, iterations // 5) == 0 or step == iterations):
            report(step, float(np.mean(losses[-50:])))
    if ema:
        model.weights = average
    return losses
