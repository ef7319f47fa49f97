"""Wasserstein GAN, the first kind: the critic's weights are clipped."""
import argparse
import os

import numpy as np


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_epochs", type=positive_int, default=30, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=64, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.0005, help="learning rate (RMSprop)")
    parser.add_argument("--latent_dim", type=positive_int, default=8, help="dimensionality of the latent space")
    parser.add_argument("--hidden_dim", type=positive_int, default=32, help="width of the hidden layers")
    parser.add_argument("--n_critic", type=positive_int, default=5,
                        help="number of training steps for the critic per step of the generator")
    parser.add_argument("--clip_value", type=positive_float, default=0.05,
                        help="lower and upper clip value for the critic's weights")
    parser.add_argument("--grid", type=positive_int, default=5, help="blobs along a side of the grid")
    parser.add_argument("--n_points", type=positive_int, default=1280, help="size of the training set")
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

class RMSprop:
    def __init__(self, size, lr, alpha=0.99):
        self.lr, self.alpha, self.v = lr, alpha, np.zeros(size)

    def step(self, flat, grad):
        self.v += (1 - self.alpha) * (grad * grad - self.v)
        flat -= self.lr * grad / (np.sqrt(self.v) + 1e-8)


def energy_distance(a, b):
    def mean_distance(p, q):
        d = (p * p).sum(1)[:, None] + (q * q).sum(1) - 2 * p @ q.T
        return np.sqrt(np.maximum(d, 0)).mean()
    return 2 * mean_distance(a, b) - mean_distance(a, a) - mean_distance(b, b)

def save_points(path, points):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    np.savetxt(path, points, fmt="%.4f", delimiter=",")

def grid_points(n_points, side, rng):
    cell = rng.integers(side, size=(n_points, 2))
    return (cell - (side - 1) / 2) + 0.05 * rng.normal(size=(n_points, 2))


def main(opt):
    rng = np.random.default_rng(opt.seed)
    data = grid_points(opt.n_points, opt.grid, rng)
    generator = MLP([opt.latent_dim, opt.hidden_dim, opt.hidden_dim, 2], rng)
    critic = MLP([2, opt.hidden_dim, opt.hidden_dim, 1], rng)
    np.clip(critic.flat, -opt.clip_value, opt.clip_value, out=critic.flat)
    optimizer_g = RMSprop(generator.flat.size, opt.lr)
    optimizer_c = RMSprop(critic.flat.size, opt.lr)
    fixed = rng.normal(size=(300, opt.latent_dim))

    batches_done = 0
    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(data))
        wasserstein = []
        for start in range(0, len(data), opt.batch_size):
            real = data[order[start:start + opt.batch_size]]
            n = len(real)
            fake = generator.forward(rng.normal(size=(n, opt.latent_dim)))

            score = critic.forward(np.concatenate([real, fake]))
            wasserstein.append(score[:n].mean() - score[n:].mean())
            critic.backward(np.repeat([[-1.0 / n], [1.0 / n]], n, axis=0))
            optimizer_c.step(critic.flat, critic.grad)
            np.clip(critic.flat, -opt.clip_value, opt.clip_value, out=critic.flat)

            batches_done += 1
            if batches_done % opt.n_critic == 0:
                fake = generator.forward(rng.normal(size=(n, opt.latent_dim)))
                critic.forward(fake)
                generator.backward(critic.backward(np.full((n, 1), -1.0 / n)))
                optimizer_g.step(generator.flat, generator.grad)

        print("[Epoch %d/%d] [W estimate: %.3e] [generator steps: %d]" % (
            epoch, opt.n_epochs, np.mean(wasserstein), batches_done // opt.n_critic))

    points = generator.forward(fixed)
    print("energy distance to the data: %.4f" % energy_distance(points, data[:300]))
    save_points("samples/final.csv", points)


if __name__ == "__main__":
    main(parse_args())
