"""A little diffusion model: learn the noise, then take it away step by step."""
import argparse
import os

import numpy as np

DATASETS = ["swiss_roll", "two_moons", "s_curve", "rings", "clover"]


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", choices=DATASETS, default="rings")
    parser.add_argument("--n_epochs", type=positive_int, default=40, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=64, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.002, help="adam: learning rate")
    parser.add_argument("--b1", type=decay, default=0.9, help="adam: decay of first order momentum of gradient")
    parser.add_argument("--b2", type=decay, default=0.999, help="adam: decay of second order momentum of gradient")
    parser.add_argument("--timesteps", type=positive_int, default=32, help="steps from data to noise, at least 2")
    parser.add_argument("--schedule", choices=["linear", "cosine", "sigmoid"], default="linear",
                        help="how the noise grows")
    parser.add_argument("--ema", action="store_true", help="sample with an exponential moving average of the weights")
    parser.add_argument("--hidden_dim", type=positive_int, default=48, help="width of the hidden layers")
    parser.add_argument("--n_points", type=positive_int, default=768, help="size of the training set")
    parser.add_argument("--seed", type=int, default=0)
    opt = parser.parse_args(argv)
    if opt.timesteps < 2:
        parser.error("--timesteps must be at least 2")
    return opt


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


def decay(text):
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"must lie in [0, 1), got {text}")
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

def energy_distance(a, b):
    def mean_distance(p, q):
        d = (p * p).sum(1)[:, None] + (q * q).sum(1) - 2 * p @ q.T
        return np.sqrt(np.maximum(d, 0)).mean()
    return 2 * mean_distance(a, b) - mean_distance(a, a) - mean_distance(b, b)

def save_points(path, points):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savetxt(path, points, fmt="%.4f", delimiter=",")

def make_data(name, n, rng):
    t = rng.uniform(0, 1, n)
    if name == "swiss_roll":
        angle = 1.5 * np.pi * (1 + 2 * t)
        x = np.stack([angle * np.cos(angle), angle * np.sin(angle)], 1) / 8
    elif name == "two_moons":
        upper = rng.integers(2, size=n)[:, None]
        x = np.stack([np.cos(np.pi * t), np.sin(np.pi * t)], 1)
        x = np.where(upper == 1, x, [1.0, 0.5] - x) - [0.5, 0.25]
    elif name == "s_curve":
        angle = 3 * np.pi * (t - 0.5)
        x = np.stack([np.sin(angle), np.sign(angle) * (np.cos(angle) - 1) / 2], 1) * 1.3
    elif name == "rings":
        radius = rng.choice([0.5, 1.0, 1.5], size=n)[:, None]
        x = radius * np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], 1)
    else:
        radius = 1.6 * np.abs(np.cos(4 * np.pi * t))[:, None]
        x = radius * np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], 1)
    return x + 0.03 * rng.normal(size=x.shape)


def keep_curve(schedule, timesteps):
    """The share of the signal's variance that is left after 1, 2, ... timesteps."""
    u = np.arange(1, timesteps + 1) / timesteps
    if schedule == "linear":
        keep = np.exp(-0.05 * u - 3.5 * u ** 2)
    elif schedule == "cosine":
        keep = np.cos(0.5 * np.pi * u) ** 2
    else:
        keep = (np.tanh(3 * (0.5 - u)) - np.tanh(-1.5)) / (2 * np.tanh(1.5))
    return np.clip(keep, 0.005, 0.9995)


def with_time(x, u):
    u = np.broadcast_to(np.reshape(u, (-1, 1)), (len(x), 1))
    return np.concatenate([x, u, np.sin(np.pi * u), np.cos(np.pi * u)], 1)


def sample(net, keep, n, rng):
    x = rng.normal(size=(n, 2))
    for t in range(len(keep) - 1, -1, -1):
        before = keep[t - 1] if t else 1.0
        alpha = min(keep[t] / before, 0.9999)
        noise = net.forward(with_time(x, (t + 1) / len(keep)))
        x = (x - (1 - alpha) / np.sqrt(1 - keep[t]) * noise) / np.sqrt(alpha)
        if t:
            x += np.sqrt((1 - before) / (1 - keep[t]) * (1 - alpha)) * rng.normal(size=x.shape)
    return x


def main(opt):
    rng = np.random.default_rng(opt.seed)
    data = make_data(opt.dataset, opt.n_points, rng)
    keep = keep_curve(opt.schedule, opt.timesteps)
    net = MLP([5, opt.hidden_dim, opt.hidden_dim, 2], rng, slope=0.1)
    optimizer = Adam(net.flat.size, opt.lr, opt.b1, opt.b2)
    average = net.flat.copy()

    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(data))
        losses = []
        for start in range(0, len(data), opt.batch_size):
            x = data[order[start:start + opt.batch_size]]
            t = rng.integers(opt.timesteps, size=len(x))
            a = keep[t][:, None]
            noise = rng.normal(size=x.shape)
            error = net.forward(with_time(np.sqrt(a) * x + np.sqrt(1 - a) * noise, (t + 1) / opt.timesteps)) - noise
            losses.append((error ** 2).mean())
            net.backward(2 * error / error.size)
            optimizer.step(net.flat, net.grad)
            average += 0.05 * (net.flat - average)
        print("[Epoch %d/%d] [noise loss: %.4f]" % (epoch, opt.n_epochs, np.mean(losses)))

    if opt.ema:
        net.flat[:] = average
    points = sample(net, keep, 300, rng)
    print("energy distance to the data%s: %.4f" % (
        " (averaged weights)" if opt.ema else "", energy_distance(points, data[:300])))
    save_points("samples/%s.csv" % opt.dataset, points)


if __name__ == "__main__":
    main(parse_args())
