"""Variational autoencoder on bars (rows and columns switched on at random)."""
import argparse
import os

import numpy as np


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_epochs", type=positive_int, default=30, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=40, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.003, help="learning rate")
    parser.add_argument("--b1", type=decay, default=0.9, help="adam: decay of first order momentum of gradient")
    parser.add_argument("--b2", type=decay, default=0.999, help="adam: decay of second order momentum of gradient")
    parser.add_argument("--latent_dim", type=positive_int, default=6, help="dimensionality of the latent space")
    parser.add_argument("--hidden_dim", type=positive_int, default=48, help="width of the hidden layers")
    parser.add_argument("--img_size", type=positive_int, default=8, help="side of the square images, at most 16")
    parser.add_argument("--kl_weight", type=positive_float, default=1.0, help="weight of the KL term")
    parser.add_argument("--likelihood", choices=["bernoulli", "gaussian"], default="bernoulli",
                        help="what the decoder's output means")
    parser.add_argument("--n_images", type=positive_int, default=640, help="size of the training set")
    parser.add_argument("--seed", type=int, default=0)
    opt = parser.parse_args(argv)
    if not 2 <= opt.img_size <= 16:
        parser.error("--img_size must lie between 2 and 16")
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

def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))

def bars(n_images, img_size, rng):
    rows = rng.random((n_images, img_size, 1)) < 0.2
    columns = rng.random((n_images, 1, img_size)) < 0.2
    return (rows | columns).reshape(n_images, -1).astype(float)


def main(opt):
    rng = np.random.default_rng(opt.seed)
    data = bars(opt.n_images, opt.img_size, rng)
    pixels, k = opt.img_size ** 2, opt.latent_dim
    encoder = MLP([pixels, opt.hidden_dim, 2 * k], rng)
    decoder = MLP([k, opt.hidden_dim, pixels], rng)
    optimizer_e = Adam(encoder.flat.size, opt.lr, opt.b1, opt.b2)
    optimizer_d = Adam(decoder.flat.size, opt.lr, opt.b1, opt.b2)

    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(data))
        sum_rec = sum_kl = 0.0
        for start in range(0, len(data), opt.batch_size):
            x = data[order[start:start + opt.batch_size]]
            n = len(x)
            code = encoder.forward(x)
            mean, log_var = code[:, :k], np.clip(code[:, k:], -8, 8)
            std, noise = np.exp(0.5 * log_var), rng.normal(size=(n, k))
            out = decoder.forward(mean + std * noise)
            if opt.likelihood == "bernoulli":
                sum_rec += (np.logaddexp(0, out) - x * out).sum()
                g = sigmoid(out) - x
            else:
                sum_rec += 0.5 * ((out - x) ** 2).sum() / 0.1
                g = (out - x) / 0.1
            sum_kl += 0.5 * (mean ** 2 + std ** 2 - 1 - log_var).sum()

            gz = decoder.backward(g / n)
            g_mean = gz + opt.kl_weight * mean / n
            g_log_var = 0.5 * gz * noise * std + opt.kl_weight * 0.5 * (std ** 2 - 1) / n
            encoder.backward(np.concatenate([g_mean, g_log_var], 1))
            optimizer_d.step(decoder.flat, decoder.grad)
            optimizer_e.step(encoder.flat, encoder.grad)
        print("[Epoch %d/%d] [reconstruction: %.3f] [KL: %.3f] [loss: %.3f]" % (
            epoch, opt.n_epochs, sum_rec / len(data), sum_kl / len(data),
            (sum_rec + opt.kl_weight * sum_kl) / len(data)))

    out = decoder.forward(rng.normal(size=(16, k)))
    images = sigmoid(out) if opt.likelihood == "bernoulli" else np.clip(out, 0, 1)
    os.makedirs("images", exist_ok=True)
    np.savetxt("images/prior.txt", images.reshape(-1, opt.img_size), fmt="%.2f")


if __name__ == "__main__":
    main(parse_args())
