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
    write(args.out, np.random.default_rng(args.seed), PICTURES, WEIGHTS)


def write(out: Path, rng: np.random.Generator, pictures: tuple[int, ...], weights: tuple[int, ...]) -> None:
    """Inputs of these shapes: (n, h, w, channels) and (size, size, channels, filters)."""
    for part in ("visible", "hidden"):
        (out / part).mkdir(parents=True)
        np.savez(
            out / part / "inputs.npz",
            pictures=rng.random(pictures),
            weights=rng.normal(0, 0.2, weights),
            bias=rng.normal(0, 0.2, weights[-1]),
        )


if __name__ == "__main__":
    main()
