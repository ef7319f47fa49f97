"""Inputs of the published sizes. Nothing is fetched: RAW is empty."""

import numpy as np
from mlbench_preparing import called
from prepare import write

PICTURES, WEIGHTS = (32, 64, 64, 3), (3, 3, 3, 8)


def main() -> None:
    args = called()
    write(args.out, np.random.default_rng(args.seed), {"visible": PICTURES, "hidden": PICTURES}, WEIGHTS)


if __name__ == "__main__":
    main()
