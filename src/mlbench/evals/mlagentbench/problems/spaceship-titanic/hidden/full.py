"""Passengers, as published: four fifths of the groups to learn from, a fifth to be told.

RAW/train.csv   as it is, or packed as a zip

The competition keeps the fate of its own test. A group is never split, as in its own parts.
"""

import numpy as np
from mlbench_preparing import called
from mlbench_tables import split, table

SHARE = 0.8
BILLS = ["RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"]
TOLD = ["HomePlanet", "CryoSleep", "Cabin", "Destination", "Age", "VIP"]
COLUMNS = ["PassengerId", *TOLD, *BILLS, "Name", "Transported"]


def main() -> None:
    args = called()
    frame = table(args.raw / "train.csv", COLUMNS)[COLUMNS]
    ids = frame["PassengerId"]
    if not ids.is_unique or not ids.str.fullmatch(r"\d{4}_\d\d").all():
        raise SystemExit("train.csv: a PassengerId stands there twice or is no gggg_pp; it is not the published table")
    if not frame["Transported"].isin(["True", "False"]).all():
        raise SystemExit("train.csv: Transported is not True or False in each row; it is not the published table")
    group = ids.str[:4]
    groups = np.random.default_rng(args.seed).permutation(sorted(group.unique()))
    known = group.isin(groups[: int(SHARE * len(groups))])
    split(args.out, frame[known], frame[~known], "PassengerId", ["Transported"])


main()
