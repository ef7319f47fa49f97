"""Pictures and weights for a convolution layer: some to work with, others of another size to be measured on."""

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np

PICTURES, WEIGHTS = (12, 72, 72, 3), (27, 27, 3, 16)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    height, width = (int(side) for side in rng.integers(64, 81, 2))
    write(args.out, rng, {"visible": PICTURES, "hidden": (PICTURES[0], height, width, PICTURES[3])}, WEIGHTS)


def write(
    out: Path, rng: np.random.Generator, pictures: Mapping[str, tuple[int, ...]], weights: tuple[int, ...]
) -> None:
    """Inputs of these shapes: (n, h, w, channels), by part, and (size, size, channels, filters)."""
    for part, shape in pictures.items():
        (out / part).mkdir(parents=True)
        np.savez(
            out / part / "inputs.npz",
            pictures=rng.random(shape),
            weights=rng.normal(0, 0.2, weights),
            bias=rng.normal(0, 0.2, weights[-1]),
        )


if __name__ == "__main__":
    main()
