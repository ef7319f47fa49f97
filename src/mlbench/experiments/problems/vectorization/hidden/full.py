"""Inputs of the published sizes. Nothing is fetched: RAW is empty."""

import argparse
from pathlib import Path

import numpy as np
from prepare import write

PICTURES, WEIGHTS = (32, 64, 64, 3), (3, 3, 3, 8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("raw", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    write(args.out, np.random.default_rng(args.seed), PICTURES, WEIGHTS)


if __name__ == "__main__":
    main()
