"""Essays of learners, as published: four fifths to learn from, a fifth to be scored.

RAW/train.csv   as it is, or packed as a zip

The competition keeps the scores of its own test.
"""

import numpy as np
import pandas as pd
from mlbench_preparing import called
from mlbench_tables import split, table

SHARE = 0.8
SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
COLUMNS = ["text_id", "full_text", *SCORES]


def main() -> None:
    args = called()
    frame = table(args.raw / "train.csv", COLUMNS)[COLUMNS]
    scores = frame[SCORES].apply(pd.to_numeric, errors="coerce")
    if not ((scores >= 1) & (scores <= 5)).all(axis=None):
        raise SystemExit("train.csv: a score is no number from 1 to 5; it is not the published table")
    if not frame["text_id"].is_unique or not frame["full_text"].str.strip().all() or len(frame) < 10:
        raise SystemExit("train.csv: a text_id stands there twice, or a text is empty; it is not the published table")
    order = np.random.default_rng(args.seed).permutation(len(frame))
    frame = frame.assign(**scores.astype(float)).iloc[order]
    cut = int(SHARE * len(frame))
    train, test = frame[:cut], frame[cut:]
    split(args.out, train, test, "text_id", SCORES)


main()
