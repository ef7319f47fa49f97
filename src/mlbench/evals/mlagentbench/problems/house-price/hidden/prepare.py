"""Houses, made up: columns of the published table that matter, prices by a rule with interactions and noise."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_tables import split

ROWS, TESTED = 1400, 500
AREAS = {"NAmes": 1.0, "CollgCr": 1.25, "OldTown": 0.8, "Edwards": 0.85, "NridgHt": 1.7, "Sawyer": 0.9, "StoneBr": 1.9}


def houses(rng: np.random.Generator, count: int) -> pd.DataFrame:
    quality = np.clip(np.round(rng.normal(6, 1.4, count)), 1, 10).astype(int)
    built = rng.integers(1900, 2010, count)
    living = np.round(rng.lognormal(7.2, 0.35, count)).astype(int)
    basement = np.where(rng.random(count) < 0.9, np.round(living * rng.uniform(0.3, 1.0, count)), 0).astype(int)
    area = rng.choice(list(AREAS), count, p=[0.28, 0.2, 0.15, 0.14, 0.1, 0.1, 0.03])
    frame = pd.DataFrame(
        {
            "LotArea": np.round(rng.lognormal(9.1, 0.45, count)).astype(int),
            "Neighborhood": area,
            "OverallQual": quality,
            "OverallCond": np.clip(np.round(rng.normal(5.5, 1.1, count)), 1, 9).astype(int),
            "YearBuilt": built,
            "YearRemodAdd": np.minimum(2010, built + rng.integers(0, 60, count)),
            "TotalBsmtSF": basement,
            "GrLivArea": living,
            "FullBath": np.clip(np.round(living / 900 + rng.normal(0, 0.4, count)), 1, 4).astype(int),
            "BedroomAbvGr": np.clip(np.round(living / 550 + rng.normal(0, 0.6, count)), 1, 6).astype(int),
            "GarageCars": np.clip(np.round(rng.normal(1.8, 0.8, count)), 0, 4).astype(int),
            "CentralAir": np.where(rng.random(count) < 0.93, "Y", "N"),
            "LotFrontage": np.where(rng.random(count) < 0.82, np.round(rng.normal(70, 20, count)), np.nan),
        }
    )
    worth = np.array([AREAS[name] for name in area])
    value = living * (38 + 6.5 * quality) * worth + basement * (12 + 3.0 * quality) + frame.GarageCars * 9000
    value *= 1 - 0.0022 * (2010 - frame.YearRemodAdd)
    value += 0.9 * frame.LotArea * worth + 1400 * (frame.OverallCond - 5) * (built < 1960)
    value = value.where(frame.CentralAir == "Y", value * 0.88)
    frame["SalePrice"] = np.round(value * rng.lognormal(0, 0.06, count), -2)
    return frame


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    frame = houses(np.random.default_rng(args.seed), ROWS + TESTED)
    frame.insert(0, "Id", range(1, len(frame) + 1))
    train, test = frame[:ROWS], frame[ROWS:]
    split(args.out, train, test, "Id", ["SalePrice"])


main()
