"""Least-squares GAN on the usual 2-D toy sets."""
import argparse
import os

import numpy as np

DATASETS = ["moons", "circles", "spiral", "pinwheel", "checkerboard"]


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--dataset", choices=DATASETS, default="circles", help="what to imitate")
    parser.add_argument("--n_epochs", type=positive_int, default=25, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=50, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.001, help="adam: learning rate")
    parser.add_argument("--b1", type=decay, default=0.5, help="adam: decay of first order momentum of gradient")
    parser.add_argument("--b2", type=decay, default=0.999, help="adam: decay of second order momentum of gradient")
    parser.add_argument("--latent_dim", type=positive_int, default=4, help="dimensionality of the latent space")
    parser.add_argument("--hidden_dim", type=positive_int, default=32, help="width of the hidden layers")
    parser.add_argument("--n_points", type=positive_int, default=600, help="size of the training set")
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
    if name == "moons":
        upper = rng.integers(2, size=n)
        x = np.stack([np.cos(np.pi * t), np.sin(np.pi * t)], 1)
        x = np.where(upper[:, None] == 1, x, [1.0, 0.5] - x)
    elif name == "circles":
        radius = rng.choice([0.6, 1.5], size=n)
        x = radius[:, None] * np.stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)], 1)
    elif name == "spiral":
        angle = 3 * np.pi * np.sqrt(t)
        x = 0.2 * angle[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    elif name == "pinwheel":
        radius = 0.3 + 1.5 * t
        angle = 2 * np.pi * rng.integers(5, size=n) / 5 + 0.6 * radius
        x = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    else:
        column = rng.integers(4, size=n)
        row = 2 * rng.integers(2, size=n) + column % 2
        return np.stack([column - 2 + t, row - 2 + rng.uniform(0, 1, n)], 1)
    return x + 0.04 * rng.normal(size=x.shape)


def main(opt):
    rng = np.random.default_rng(opt.seed)
    data = make_data(opt.dataset, opt.n_points, rng)
    generator = MLP([opt.latent_dim, opt.hidden_dim, opt.hidden_dim, 2], rng)
    discriminator = MLP([2, opt.hidden_dim, opt.hidden_dim, 1], rng)
    optimizer_g = Adam(generator.flat.size, opt.lr, opt.b1, opt.b2)
    optimizer_d = Adam(discriminator.flat.size, opt.lr, opt.b1, opt.b2)
    fixed = rng.normal(size=(300, opt.latent_dim))

    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(data))
        d_loss, g_loss = [], []
        for start in range(0, len(data), opt.batch_size):
            real = data[order[start:start + opt.batch_size]]
            n = len(real)
            fake = generator.forward(rng.normal(size=(n, opt.latent_dim)))

            error = discriminator.forward(np.concatenate([real, fake])) - np.repeat([[1.0], [0.0]], n, axis=0)
            d_loss.append(0.5 * np.mean(error ** 2))
            discriminator.backward(error / (2 * n))
            optimizer_d.step(discriminator.flat, discriminator.grad)

            error = discriminator.forward(fake) - 1
            g_loss.append(0.5 * np.mean(error ** 2))
            generator.backward(discriminator.backward(error / n))
            optimizer_g.step(generator.flat, generator.grad)

        points = generator.forward(fixed)
        print("[Epoch %d/%d] [D loss: %.4f] [G loss: %.4f] [energy distance: %.4f]" % (
            epoch, opt.n_epochs, np.mean(d_loss), np.mean(g_loss), energy_distance(points, data[:300])))

    save_points("samples/%s.csv" % opt.dataset, points)


if __name__ == "__main__":
    main(parse_args())
