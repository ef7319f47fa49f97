"""Conditional GAN: small glyphs, one class a glyph."""
import argparse
import os

import numpy as np

MAX_CLASSES = 12


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_epochs", type=positive_int, default=40, help="number of epochs of training")
    parser.add_argument("--batch_size", type=positive_int, default=40, help="size of the batches")
    parser.add_argument("--lr", type=positive_float, default=0.003, help="adam: learning rate")
    parser.add_argument("--b1", type=decay, default=0.5, help="adam: decay of first order momentum of gradient")
    parser.add_argument("--b2", type=decay, default=0.999, help="adam: decay of second order momentum of gradient")
    parser.add_argument("--latent_dim", type=positive_int, default=10, help="dimensionality of the latent space")
    parser.add_argument("--n_classes", type=positive_int, default=10,
                        help="number of classes (glyphs), at most %d" % MAX_CLASSES)
    parser.add_argument("--img_size", type=positive_int, default=6, help="side of the square images, 4 to 16")
    parser.add_argument("--hidden_dim", type=positive_int, default=48, help="width of the hidden layers")
    parser.add_argument("--n_images", type=positive_int, default=600, help="size of the training set")
    parser.add_argument("--seed", type=int, default=0)
    opt = parser.parse_args(argv)
    if opt.n_classes > MAX_CLASSES:
        parser.error("there are only %d glyphs" % MAX_CLASSES)
    if not 4 <= opt.img_size <= 16:
        parser.error("--img_size must lie between 4 and 16")
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

def glyphs(n_classes, img_size):
    """One clean image a class: disc, cross, bars, corners and so on, in [-1, 1]."""
    y, x = np.mgrid[-1:1:img_size * 1j, -1:1:img_size * 1j]
    shapes = [x ** 2 + y ** 2 < 0.6, abs(x) < 0.35, abs(y) < 0.35, abs(x - y) < 0.45, abs(x + y) < 0.45,
              (abs(x) < 0.3) | (abs(y) < 0.3), np.maximum(abs(x), abs(y)) > 0.7, x < 0, y < 0,
              x * y > 0, abs(x) + abs(y) < 0.9, x > y]
    return np.stack([np.where(s, 1.0, -1.0).ravel() for s in shapes[:n_classes]])


def make_data(n_images, n_classes, img_size, rng):
    labels = rng.integers(n_classes, size=n_images)
    images = glyphs(n_classes, img_size)[labels]
    return np.clip(images + 0.15 * rng.normal(size=images.shape), -1, 1), labels


def save_sheet(path, images, img_size):
    """One glyph a class, as grey levels in a text image (PGM)."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    rows = np.round((images + 1) * 127.5).astype(int).reshape(-1, img_size)
    with open(path, "w", encoding="ascii") as file:
        file.write("P2\n%d %d\n255\n" % (img_size, len(rows)))
        for row in rows:
            file.write(" ".join(map(str, row)) + "\n")


def main(opt):
    rng = np.random.default_rng(opt.seed)
    images, labels = make_data(opt.n_images, opt.n_classes, opt.img_size, rng)
    pixels = opt.img_size ** 2
    one_hot = np.eye(opt.n_classes)
    generator = MLP([opt.latent_dim + opt.n_classes, opt.hidden_dim, pixels], rng)
    discriminator = MLP([pixels + opt.n_classes, opt.hidden_dim, 1], rng)
    optimizer_g = Adam(generator.flat.size, opt.lr, opt.b1, opt.b2)
    optimizer_d = Adam(discriminator.flat.size, opt.lr, opt.b1, opt.b2)

    def generate(classes):
        z = rng.normal(size=(len(classes), opt.latent_dim))
        return np.tanh(generator.forward(np.concatenate([z, one_hot[classes]], 1)))

    for epoch in range(1, opt.n_epochs + 1):
        order = rng.permutation(len(images))
        d_loss, g_loss = [], []
        for start in range(0, len(images), opt.batch_size):
            index = order[start:start + opt.batch_size]
            n = len(index)
            wanted = rng.integers(opt.n_classes, size=n)
            fake = generate(wanted)

            real_pairs = np.concatenate([images[index], one_hot[labels[index]]], 1)
            fake_pairs = np.concatenate([fake, one_hot[wanted]], 1)
            logits = discriminator.forward(np.concatenate([real_pairs, fake_pairs]))
            target = np.repeat([[1.0], [0.0]], n, axis=0)
            d_loss.append(np.logaddexp(0, np.where(target > 0, -logits, logits)).mean())
            discriminator.backward((sigmoid(logits) - target) / (2 * n))
            optimizer_d.step(discriminator.flat, discriminator.grad)

            logits = discriminator.forward(fake_pairs)
            g_loss.append(np.logaddexp(0, -logits).mean())
            g = discriminator.backward((sigmoid(logits) - 1) / n)[:, :pixels]
            generator.backward(g * (1 - fake ** 2))
            optimizer_g.step(generator.flat, generator.grad)

        print("[Epoch %d/%d] [D loss: %.4f] [G loss: %.4f]" % (
            epoch, opt.n_epochs, np.mean(d_loss), np.mean(g_loss)))

    classes = np.repeat(np.arange(opt.n_classes), 20)
    made = generate(classes)
    clean = glyphs(opt.n_classes, opt.img_size)
    nearest = ((made[:, None] - clean[None]) ** 2).sum(2).argmin(1)
    print("label accuracy of the samples: %.3f" % (nearest == classes).mean())
    save_sheet("images/sheet.pgm", made[::20], opt.img_size)


if __name__ == "__main__":
    main(parse_args())
