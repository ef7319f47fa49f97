"""Numbers to square: some to work with, others to be measured on."""

import argparse
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("out", type=Path)
parser.add_argument("--seed", type=int, required=True)
args = parser.parse_args()
rng = np.random.default_rng(args.seed)
for part in ("visible", "hidden"):
    (args.out / part).mkdir(parents=True)
    np.save(args.out / part / "inputs.npy", rng.random(100_000))
