"""Inputs of the published shapes, drawn from the normal distribution. Nothing is fetched: RAW is empty.

The seed of published data is known. So the inputs that the measured runs get are drawn without one.
"""

import numpy as np
from mlbench_preparing import called


def main() -> None:
    args = called()
    for part, rng in (("visible", np.random.default_rng(args.seed)), ("hidden", np.random.default_rng())):
        (args.out / part).mkdir(parents=True)
        np.savez(
            args.out / part / "inputs.npz",
            batch=rng.normal(size=(32, 64, 64, 3)),
            weights=rng.normal(size=(3, 3, 3, 8)),
            bias=rng.normal(size=8),
        )


main()
