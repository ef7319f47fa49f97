"""Affine coupling flow in the plane. Exact likelihood, no tricks."""
import argparse
import os

import numpy as np

DATASETS = ["bananas", "cross", "crescent", "diamond", "waves"]


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", choices=DATASETS, default="crescent")
    parser.add_argument("--n_epochs", type=positive_int, default=20, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=64, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.002, help="adam: learning rate")
    parser.add_argument("--n_layers", type=positive_int, default=4, help="number of coupling layers")
    parser.add_argument("--hidden_dim", type=positive_int, default=16, help="width of the hidden layers")
    parser.add_argument("--n_points", type=positive_int, default=640, help="size of the training set")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


def positive_int(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


def positive_float(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be positive, got {text}")
    return value

class MLP:
    """Fully connected net: leaky ReLU inside, linear at the end, gradients by hand.

    All weights are views into one flat vector, so that an optimizer is three lines.
    """

    def __init__(self, sizes, rng, slope=0.2):
        self.slope = slope
        count = sum(a * b + b for a, b in zip(sizes, sizes[1:]))
        self.flat = np.zeros(count)
        self.grad = np.zeros(count)
        self.layers = []
        at = 0
        for a, b in zip(sizes, sizes[1:]):
            w, at = slice(at, at + a * b), at + a * b
            c, at = slice(at, at + b), at + b
            self.flat[w] = rng.normal(0.0, np.sqrt(2.0 / a), a * b)
            self.layers.append((self.flat[w].reshape(a, b), self.flat[c],
                                self.grad[w].reshape(a, b), self.grad[c]))

    def forward(self, x):
        self.inputs, self.slopes = [], []
        last = len(self.layers) - 1
        for i, (w, c, _, _) in enumerate(self.layers):
            self.inputs.append(x)
            x = x @ w + c
            if i < last:
                s = np.where(x > 0, 1.0, self.slope)
                self.slopes.append(s)
                x = x * s
        return x

    def backward(self, g):
        """Fill self.grad from the gradient at the output; return the gradient at the input."""
        for i in range(len(self.layers) - 1, -1, -1):
            w, _, gw, gc = self.layers[i]
            if i < len(self.slopes):
                g = g * self.slopes[i]
            gw[...] = self.inputs[i].T @ g
            gc[...] = g.sum(0)
            g = g @ w.T
        return g

class Adam:
    def __init__(self, size, lr, b1, b2):
        self.lr, self.b1, self.b2, self.t = lr, b1, b2, 0
        self.m, self.v = np.zeros(size), np.zeros(size)

    def step(self, flat, grad):
        self.t += 1
        self.m += (1 - self.b1) * (grad - self.m)
        self.v += (1 - self.b2) * (grad * grad - self.v)
        m = self.m / (1 - self.b1 ** self.t)
        v = self.v / (1 - self.b2 ** self.t)
        flat -= self.lr * m / (np.sqrt(v) + 1e-8)

def save_points(path, points):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savetxt(path, points, fmt="%.4f", delimiter=",")

def make_data(name, n=640, seed=0):
    """n points of one of the DATASETS."""
    if name not in DATASETS:
        raise ValueError("unknown dataset %r, known are %s" % (name, ", ".join(DATASETS)))
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    if name == "bananas":
        side = rng.choice([-1.0, 1.0], size=n)
        return np.stack([a, side * (1.2 - 0.5 * a ** 2) + 0.15 * b], 1)
    if name == "cross":
        flip = rng.integers(2, size=n)[:, None]
        return np.where(flip, np.stack([1.3 * a, 0.15 * b], 1), np.stack([0.15 * a, 1.3 * b], 1))
    if name == "crescent":
        return np.stack([a, 0.6 * a ** 2 - 0.6 + 0.2 * b], 1)
    if name == "diamond":
        u, v = rng.uniform(-1, 1, size=(2, n))
        return np.stack([u + v, u - v], 1)
    return np.stack([1.2 * a, np.sin(2.5 * a) + 0.2 * b], 1)


class CouplingFlow:
    """A stack of affine couplings; layers change one coordinate given the other, in turn."""

    def __init__(self, n_layers=4, hidden_dim=16, seed=0):
        if n_layers < 1 or hidden_dim < 1:
            raise ValueError("n_layers and hidden_dim must be at least 1")
        rng = np.random.default_rng(seed)
        self.nets = [MLP([1, hidden_dim, hidden_dim, 2], rng) for _ in range(n_layers)]
        for net in self.nets:
            net.layers[-1][0][...] *= 0.1  # start close to the identity

    def forward(self, x):
        """Data to noise: returns z and the log-determinant of every point."""
        z, log_det = [x[:, 0], x[:, 1]], np.zeros(len(x))
        self.cache = []
        for i, net in enumerate(self.nets):
            keep, change = i % 2, 1 - i % 2
            out = net.forward(z[keep][:, None])
            scale = np.tanh(out[:, 0])
            moved = z[change] * np.exp(scale) + out[:, 1]
            self.cache.append((keep, change, z[change], scale))
            z[change] = moved
            log_det = log_det + scale
        return np.stack(z, 1), log_det

    def inverse(self, z):
        x = [z[:, 0], z[:, 1]]
        for i in range(len(self.nets) - 1, -1, -1):
            keep, change = i % 2, 1 - i % 2
            out = self.nets[i].forward(x[keep][:, None])
            x[change] = (x[change] - out[:, 1]) * np.exp(-np.tanh(out[:, 0]))
        return np.stack(x, 1)

    def log_prob(self, x):
        z, log_det = self.forward(x)
        return log_det - 0.5 * (z ** 2).sum(1) - np.log(2 * np.pi)

    def sample(self, n, seed=0):
        return self.inverse(np.random.default_rng(seed).normal(size=(n, 2)))

    def nll_and_grad(self, x):
        """Mean negative log-likelihood; the gradients are left in the nets."""
        z, log_det = self.forward(x)
        n = len(x)
        loss = (0.5 * (z ** 2).sum(1) - log_det).mean() + np.log(2 * np.pi)
        g = [z[:, 0] / n, z[:, 1] / n]
        for net, (keep, change, old, scale) in zip(self.nets[::-1], self.cache[::-1]):
            e = np.exp(scale)
            g_scale = g[change] * old * e - 1.0 / n
            g_in = net.backward(np.stack([g_scale * (1 - scale ** 2), g[change]], 1))
            g[change] = g[change] * e
            g[keep] = g[keep] + g_in[:, 0]
        return loss


def fit(flow, points, n_epochs=20, batch_size=64, lr=0.002, seed=0, verbose=True):
    """Maximum likelihood with Adam; returns the mean loss of every epoch (nats)."""
    if n_epochs < 1 or batch_size < 1 or lr <= 0:
        raise ValueError("n_epochs, batch_size and lr must be positive")
    rng = np.random.default_rng(seed)
    optimizers = [Adam(net.flat.size, lr, 0.9, 0.999) for net in flow.nets]
    history = []
    for epoch in range(1, n_epochs + 1):
        order = rng.permutation(len(points))
        losses = []
        for start in range(0, len(points), batch_size):
            losses.append(flow.nll_and_grad(points[order[start:start + batch_size]]))
            for net, optimizer in zip(flow.nets, optimizers):
                optimizer.step(net.flat, net.grad)
        history.append(float(np.mean(losses)))
        if verbose:
            print("[Epoch %d/%d] [nll: %.4f]" % (epoch, n_epochs, history[-1]))
    return history


def main(opt):
    points = make_data(opt.dataset, opt.n_points, opt.seed)
    flow = CouplingFlow(opt.n_layers, opt.hidden_dim, opt.seed)
    fit(flow, points, opt.n_epochs, opt.batch_size, opt.lr, opt.seed)
    held_out = make_data(opt.dataset, 400, opt.seed + 1)
    print("held-out nll: %.4f" % -flow.log_prob(held_out).mean())
    save_points("samples/%s.csv" % opt.dataset, flow.sample(300))


if __name__ == "__main__":
    main(parse_args())
