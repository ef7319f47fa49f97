"""Pictures and weights for a convolution layer: some to work with, others of the same shapes to be measured on."""

import argparse
from pathlib import Path

import numpy as np

PICTURES, WEIGHTS = (6, 80, 80, 3), (5, 5, 3, 16)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for part in ("visible", "hidden"):
        (args.out / part).mkdir(parents=True)
        np.savez(
            args.out / part / "inputs.npz",
            pictures=rng.random(PICTURES),
            weights=rng.normal(0, 0.2, WEIGHTS),
            bias=rng.normal(0, 0.2, WEIGHTS[-1]),
        )


main()
