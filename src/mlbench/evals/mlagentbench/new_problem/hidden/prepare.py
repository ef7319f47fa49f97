"""Make the data: `prepare.py OUT --seed N` writes OUT/visible/ for the agent and OUT/hidden/ for the grader."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_tables import split

ROWS, TESTED = 600, 200


def rows(rng: np.random.Generator, count: int) -> pd.DataFrame:
    frame = pd.DataFrame(rng.normal(size=(count, 3)).round(6), columns=["a", "b", "c"])
    frame["target"] = (4 * frame.a + 2.5 * frame.b * frame.c + rng.normal(0, 0.3, count)).round(6)
    return frame


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    frame = rows(np.random.default_rng(args.seed), ROWS + TESTED)  # all randomness comes from the seed
    frame.insert(0, "id", range(1, len(frame) + 1))
    # writes visible/train.csv and visible/test.csv (without the target), and all of hidden/
    split(args.out, frame[:ROWS], frame[ROWS:], "id", ["target"])


main()
