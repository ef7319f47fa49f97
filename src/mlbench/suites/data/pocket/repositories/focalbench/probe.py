"""Linear probe: how separable do the features become behind a (random) layer?

Generated textures -> fixed random convolution -> layer -> pooling -> softmax regression, trained by SGD.
"""

import argparse
import json
import os
import sys

import numpy as np

from model.base import conv2d, relu, softmax
from model.zoo import MAP_LAYERS

SIDE = 10
CLASSES = ("stripes", "columns", "checks", "rings")


def fraction(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("must be positive")
    return value


def count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be positive")
    return value


def parse_args(argv=None):
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__.splitlines()[0])
    parser.add_argument("layer", choices=sorted(MAP_LAYERS) + ["none"], help="layer under test")
    parser.add_argument("-c", "--channels", type=count, default=16)
    parser.add_argument("-r", "--reduction", type=count, default=4, help="must divide the channels")
    parser.add_argument("-e", "--epochs", type=count, default=8)
    parser.add_argument("-b", "--batch", type=count, default=16)
    parser.add_argument("--lr", type=fraction, default=0.1)
    parser.add_argument("--pool", choices=["avg", "max", "min", "avgmax", "std"], default="avg")
    parser.add_argument("--l2", type=float, default=0.0, help="weight decay of the readout")
    parser.add_argument("--train-size", type=count, default=160)
    parser.add_argument("--noise", type=float, default=0.8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="results/probe.json")
    args = parser.parse_args(argv)
    if args.channels % args.reduction or args.channels % 4:
        parser.error("--channels must be a multiple of 4 and of --reduction")
    return args


def textures(n, noise, rng):
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    labels = rng.integers(len(CLASSES), size=n)
    images = np.empty((n, 1, SIDE, SIDE))
    for i, label in enumerate(labels):
        phase, period = rng.integers(4), rng.uniform(1.6, 2.4)
        wave = (y, x, (y // 2 + x // 2) * period, np.hypot(y - 4.5, x - 4.5))[label]
        images[i, 0] = np.sin(np.pi * (wave + phase) / period)
    return images + noise * rng.standard_normal(images.shape), labels


def pooled(maps, how):
    if how == "avg":
        return maps.mean((2, 3))
    if how == "max":
        return maps.max((2, 3))
    if how == "min":
        return maps.min((2, 3))
    if how == "std":
        return maps.std((2, 3))
    return np.concatenate([maps.mean((2, 3)), maps.max((2, 3))], axis=1)


def main(args):
    rng = np.random.default_rng(args.seed)
    stem = rng.standard_normal((args.channels, 1, 3, 3)) / 3
    layer = (lambda z: z) if args.layer == "none" else MAP_LAYERS[args.layer](args.channels, args.reduction, args.seed)
    sets = {}
    for name, n in (("train", args.train_size), ("test", 120)):
        images, labels = textures(n, args.noise, rng)
        sets[name] = (pooled(layer(relu(conv2d(images, stem, padding=1))), args.pool), labels)
    mean, std = sets["train"][0].mean(0), sets["train"][0].std(0) + 1e-6
    (x, labels), (xt, lt) = (((f - mean) / std, l) for f, l in (sets["train"], sets["test"]))
    weight, bias = np.zeros((x.shape[1], len(CLASSES))), np.zeros(len(CLASSES))
    history = []
    for epoch in range(args.epochs):
        loss = 0.0
        order = rng.permutation(len(x))
        for start in range(0, len(order), args.batch):
            i = order[start : start + args.batch]
            prob = softmax(x[i] @ weight + bias)
            loss -= np.log(prob[np.arange(len(i)), labels[i]] + 1e-12).sum()
            prob[np.arange(len(i)), labels[i]] -= 1
            weight -= args.lr * (x[i].T @ prob / len(i) + args.l2 * weight)
            bias -= args.lr * prob.mean(0)
        accuracy = float(((xt @ weight + bias).argmax(1) == lt).mean())
        history.append({"epoch": epoch + 1, "loss": round(float(loss / len(x)), 5), "test_accuracy": round(accuracy, 4)})
        print(f"epoch {epoch + 1}: loss {loss / len(x):.4f}, test accuracy {accuracy:.3f}")
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    with open(args.out, "w", encoding="utf-8") as handle:
        json.dump({"settings": vars(args), "features": x.shape[1], "history": history}, handle, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(parse_args()))
