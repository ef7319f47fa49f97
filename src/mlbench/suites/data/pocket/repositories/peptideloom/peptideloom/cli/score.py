"""loom-score: predict the effects of a mutational scan, with one model or a mean of several."""
import argparse
from pathlib import Path

import numpy as np

from .. import pretrained
from ..data import read_dms
from ..scoring import STRATEGIES, score, spearman
from .common import existing_file, positive_float


def create_parser():
    parser = argparse.ArgumentParser(prog="loom-score", description=__doc__)
    parser.add_argument("scan", type=existing_file, metavar="SCAN", help="mutational scan (.csv)")
    parser.add_argument("output", type=Path, metavar="OUTPUT", help="table of scores to write")
    parser.add_argument("--models", nargs="+", choices=pretrained.available(), required=True, metavar="MODEL")
    parser.add_argument("--strategy", choices=STRATEGIES, default="wt-marginals")
    parser.add_argument("--temperature", type=positive_float, default=1.0)
    parser.add_argument("--rank", action="store_true", help="average the models' ranks, not their scores")
    return parser


def run(args):
    wild_type, offset, variants = read_dms(args.scan)
    mutations = [mutation for mutation, _ in variants]
    measured = [effect for _, effect in variants]
    columns = []
    for name in args.models:
        model, _ = pretrained.load(name)
        values = score(model, wild_type, offset, mutations, args.strategy, args.temperature)
        print(f"{name} ({args.strategy}, T={args.temperature}): Spearman {spearman(values, measured):+.3f}")
        columns.append(values.argsort().argsort() / len(values) if args.rank else values)
    total = np.mean(columns, 0)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with open(args.output, "w", encoding="utf-8") as handle:
        handle.write("mutation,measured,score\n")
        for mutation, effect, value in zip(mutations, measured, total):
            handle.write(f"{mutation},{effect},{value:.5f}\n")
    print(f"{len(args.models)} model(s), {len(mutations)} variants: Spearman {spearman(total, measured):+.3f} -> {args.output}")


def main(argv=None):
    parser = create_parser()
    args = parser.parse_args(argv)
    try:
        run(args)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
