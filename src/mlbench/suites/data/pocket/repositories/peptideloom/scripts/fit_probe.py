"""Fit a small perceptron on frozen embeddings to predict a label of the FASTA headers."""
import argparse
from pathlib import Path

import numpy as np

from peptideloom import pretrained
from peptideloom.cli.common import existing_file, positive_float, positive_int
from peptideloom.data import read_fasta
from peptideloom.model import POOLS
from peptideloom.scoring import spearman


def create_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=pretrained.available())
    parser.add_argument("fasta", type=existing_file)
    parser.add_argument("label", choices=["tm", "thalf", "sol", "agg"])
    parser.add_argument("--hidden", type=positive_int, nargs="*", default=[8],
                        help="widths of the hidden layers; none given: a linear probe")
    parser.add_argument("--pool", choices=POOLS, default="mean")
    parser.add_argument("--epochs", type=positive_int, default=40)
    parser.add_argument("--lr", type=positive_float, default=0.05)
    parser.add_argument("--weight-decay", type=float, default=1e-3)
    parser.add_argument("--outdir", type=Path, default=Path("probes"))
    return parser


class Probe:
    def __init__(self, sizes, seed=0):
        rng = np.random.default_rng(seed)
        self.weights = [rng.normal(size=(a, b)) / np.sqrt(a) for a, b in zip(sizes, sizes[1:])]
        self.biases = [np.zeros(b) for b in sizes[1:]]

    def forward(self, x):
        out = [x]
        for i, (w, b) in enumerate(zip(self.weights, self.biases)):
            z = out[-1] @ w + b
            out.append(np.tanh(z) if i < len(self.weights) - 1 else z)
        return out

    def step(self, x, y, lr, decay):
        out = self.forward(x)
        error = out[-1] - y
        d = 2 * error / len(x)
        for i in reversed(range(len(self.weights))):
            gw, gb = out[i].T @ d, d.sum(0)
            if i:
                d = (d @ self.weights[i].T) * (1 - out[i] ** 2)
            self.weights[i] -= lr * (gw + decay * self.weights[i])
            self.biases[i] -= lr * gb
        return float((error ** 2).mean())


def main(args):
    model, _ = pretrained.load(args.model)
    records = read_fasta(args.fasta)
    if any(args.label not in record.labels for record in records):
        raise ValueError(f"{args.fasta}: not every record has the label {args.label!r}")
    x = model.embed(records, pool=args.pool).astype(float)
    y = np.array([[record.labels[args.label]] for record in records])
    order = np.random.default_rng(0).permutation(len(x))
    train, test = order[len(x) // 4:], order[:len(x) // 4]
    x = (x - x[train].mean(0)) / (x[train].std(0) + 1e-6)
    z = (y - y[train].mean()) / y[train].std()
    probe = Probe([x.shape[1], *args.hidden, 1])
    print(f"probe {x.shape[1]}-{'-'.join(map(str, [*args.hidden, 1]))} on {args.model} ({args.pool}), label {args.label}")
    for epoch in range(1, args.epochs + 1):
        loss = probe.step(x[train], z[train], args.lr, args.weight_decay)
        if epoch % 10 == 0 or epoch == args.epochs:
            guess = probe.forward(x[test])[-1]
            rho = spearman(guess[:, 0], z[test][:, 0])
            print(f"epoch {epoch:3d}  train {loss:.4f}  test {((guess - z[test]) ** 2).mean():.4f}  rho {rho:+.3f}")
    args.outdir.mkdir(parents=True, exist_ok=True)
    out = args.outdir / f"{args.fasta.stem}_{args.label}_{args.model}.npz"
    np.savez(out, *probe.weights, *probe.biases)
    print(f"saved {out}")


def cli(argv=None):
    parser = create_parser()
    args = parser.parse_args(argv)
    try:
        main(args)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    cli()
