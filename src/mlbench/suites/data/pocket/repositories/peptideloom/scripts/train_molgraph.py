"""Train a message-passing network on a table of molecules."""
import argparse
from pathlib import Path

import numpy as np

from peptideloom.cli.common import existing_file, positive_float, positive_int
from peptideloom.data import read_molecules
from peptideloom.molgraph import AGGREGATIONS, MolGraph, featurize


def create_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=existing_file, help="csv with a column 'smiles'")
    parser.add_argument("target", choices=["logS", "bp", "mu", "eta"], help="column to predict")
    parser.add_argument("--depth", type=positive_int, default=3, help="message-passing steps")
    parser.add_argument("--hidden", type=positive_int, default=16)
    parser.add_argument("--ffn", type=positive_int, nargs="+", default=[16], help="widths of the read-out layers")
    parser.add_argument("--aggregation", choices=AGGREGATIONS, default="mean")
    parser.add_argument("--epochs", type=positive_int, default=30)
    parser.add_argument("--lr", type=positive_float, default=0.01)
    parser.add_argument("--outdir", type=Path, default=Path("molgraph_runs"))
    return parser


def main(args):
    smiles, values = read_molecules(args.table, args.target)
    y = np.array(values)
    x, a, mask = featurize(smiles)
    order = np.random.default_rng(0).permutation(len(y))
    cut = int(0.8 * len(y))
    train, test = order[:cut], order[cut:]
    centre, spread = y[train].mean(), y[train].std()
    z = (y - centre) / spread
    net = MolGraph(x.shape[-1], args.hidden, args.depth, args.ffn, args.aggregation)
    first = {k: np.zeros_like(v) for k, v in net.parameters.items()}
    second = {k: np.zeros_like(v) for k, v in net.parameters.items()}
    print(f"{args.table.name}: {len(train)} train / {len(test)} test molecules, target {args.target}")
    rng, step = np.random.default_rng(1), 0
    for epoch in range(1, args.epochs + 1):
        losses = []
        for rows in np.array_split(rng.permutation(train), 3):
            loss, grads = net.gradients(x[rows], a[rows], mask[rows], z[rows])
            losses.append(loss)
            step += 1
            for key, g in grads.items():
                first[key] = 0.9 * first[key] + 0.1 * g
                second[key] = 0.99 * second[key] + 0.01 * g * g
                rate = args.lr * np.sqrt(1 - 0.99 ** step) / (1 - 0.9 ** step)
                net.parameters[key] -= rate * first[key] / (np.sqrt(second[key]) + 1e-8)
        if epoch % 10 == 0 or epoch == args.epochs:
            guess = net.forward(x[test], a[test], mask[test])[0]
            rmse = spread * np.sqrt(((guess - z[test]) ** 2).mean())
            print(f"epoch {epoch:3d}  train mse {np.mean(losses):.4f}  test rmse {rmse:.4f}")
    args.outdir.mkdir(parents=True, exist_ok=True)
    out = args.outdir / f"{args.table.stem}_{args.target}.npz"
    np.savez(out, centre=centre, spread=spread, **net.parameters)
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
