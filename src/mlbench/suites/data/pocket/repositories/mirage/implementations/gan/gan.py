"""Plain GAN on a ring of Gaussian blobs."""
import argparse
import os

import numpy as np


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_epochs", type=positive_int, default=30, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=40, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.001, help="adam: learning rate")
    parser.add_argument("--b1", type=decay, default=0.5, help="adam: decay of first order momentum of gradient")
    parser.add_argument("--b2", type=decay, default=0.999, help="adam: decay of second order momentum of gradient")
    parser.add_argument("--latent_dim", type=positive_int, default=8, help="dimensionality of the latent space")
    parser.add_argument("--hidden_dim", type=positive_int, default=32, help="width of the hidden layers")
    parser.add_argument("--n_modes", type=positive_int, default=8, help="blobs on the ring")
    parser.add_argument("--n_points", type=positive_int, default=768, help="size of the training set")
    parser.add_argument("--sample_interval", type=positive_int, default=10, help="epochs between two dumps of samples")
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

def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))

def save_points(path, points):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savetxt(path, points, fmt="%.4f", delimiter=",")

def centres(n_modes):
    angle = 2 * np.pi * np.arange(n_modes) / n_modes
    return 2 * np.stack([np.cos(angle), np.sin(angle)], 1)


def ring(n_points, n_modes, rng):
    return centres(n_modes)[rng.integers(n_modes, size=n_points)] + 0.05 * rng.normal(size=(n_points, 2))


def coverage(points, n_modes, radius=0.5):
    """How many blobs got at least one sample in a hundred."""
    d = np.linalg.norm(points[:, None] - centres(n_modes)[None], axis=2)
    hits = np.bincount(d.argmin(1)[d.min(1) < radius], minlength=n_modes)
    return int((hits > len(points) / 100).sum())


def main(opt):
    rng = np.random.default_rng(opt.seed)
    data = ring(opt.n_points, opt.n_modes, rng)
    generator = MLP([opt.latent_dim, opt.hidden_dim, opt.hidden_dim, 2], rng)
    discriminator = MLP([2, opt.hidden_dim, opt.hidden_dim, 1], rng)
    optimizer_g = Adam(generator.flat.size, opt.lr, opt.b1, opt.b2)
    optimizer_d = Adam(discriminator.flat.size, opt.lr, opt.b1, opt.b2)
    fixed = rng.normal(size=(400, opt.latent_dim))

    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(data))
        d_loss = g_loss = 0.0
        batches = range(0, len(data), opt.batch_size)
        for start in batches:
            real = data[order[start:start + opt.batch_size]]
            n = len(real)
            fake = generator.forward(rng.normal(size=(n, opt.latent_dim)))

            # discriminator: real up, fake down
            logits = discriminator.forward(np.concatenate([real, fake]))
            target = np.repeat([[1.0], [0.0]], n, axis=0)
            d_loss += np.logaddexp(0, np.where(target > 0, -logits, logits)).mean()
            discriminator.backward((sigmoid(logits) - target) / (2 * n))
            optimizer_d.step(discriminator.flat, discriminator.grad)

            # generator: the non-saturating loss
            logits = discriminator.forward(fake)
            g_loss += np.logaddexp(0, -logits).mean()
            generator.backward(discriminator.backward((sigmoid(logits) - 1) / n))
            optimizer_g.step(generator.flat, generator.grad)

        points = generator.forward(fixed)
        print("[Epoch %d/%d] [D loss: %.4f] [G loss: %.4f] [modes: %d/%d]" % (
            epoch, opt.n_epochs, d_loss / len(batches), g_loss / len(batches),
            coverage(points, opt.n_modes), opt.n_modes))
        if epoch % opt.sample_interval == 0 or epoch == opt.n_epochs:
            save_points("samples/epoch_%03d.csv" % epoch, points)


if __name__ == "__main__":
    main(parse_args())
