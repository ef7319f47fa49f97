"""Passengers as published: the last fifth of the training table, in its order, is the test.

RAW/train.csv   as it is, or packed as a zip
"""

from mlbench_preparing import called
from mlbench_tables import split, table


def main() -> None:
    args = called()
    frame = table(args.raw / "train.csv", ["PassengerId", "Cabin", "Transported"])
    cut = int(0.8 * len(frame))
    split(args.out, frame.iloc[:cut], frame.iloc[cut:], "PassengerId", ["Transported"])


main()
