"""Houses, as published, with all of their columns: four fifths to learn from, a fifth whose prices are to be told.

RAW/train.csv   as it is, or packed as a zip

The competition keeps the prices of its own test.
"""

import numpy as np
import pandas as pd
from mlbench_preparing import called
from mlbench_tables import split, table

SHARE = 0.8
NEEDED = ["Id", "LotArea", "Neighborhood", "OverallQual", "YearBuilt", "FullBath", "BedroomAbvGr", "SalePrice"]


def main() -> None:
    args = called()
    frame = table(args.raw / "train.csv", NEEDED)
    prices = pd.to_numeric(frame["SalePrice"], errors="coerce")
    if not (prices > 0).all() or not frame["Id"].is_unique or len(frame) < 10:
        raise SystemExit(
            "train.csv: an Id stands there twice or a SalePrice is no price; it is not the published table"
        )
    frame = frame.assign(SalePrice=prices.astype(float))
    order = np.random.default_rng(args.seed).permutation(len(frame))
    cut = int(SHARE * len(frame))
    train, test = frame.iloc[np.sort(order[:cut])], frame.iloc[np.sort(order[cut:])]
    split(args.out, train, test, "Id", ["SalePrice"])


main()
