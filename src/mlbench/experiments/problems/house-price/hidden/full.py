"""Houses, as published, with all of their columns: four fifths to learn from, a fifth whose prices are to be told.

RAW/train.csv   as it is, or packed as a zip

The competition keeps the prices of its own test.
"""

import numpy as np
import pandas as pd
from mlbench_preparing import called
from mlbench_tables import table

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
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (args.out / part).mkdir(parents=True)
    answers = test[["Id", "SalePrice"]]
    train.to_csv(args.out / "visible/train.csv", index=False)
    test.drop(columns="SalePrice").to_csv(args.out / "visible/test.csv", index=False)
    answers.to_csv(args.out / "hidden/answers.csv", index=False)
    answers.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(SalePrice=answers.SalePrice.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)


main()
