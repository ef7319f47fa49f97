"""Essays as published: a fiftieth of the training table, shuffled with the published seed 42, is the test.

RAW/train.csv   as it is, or packed as a zip
"""

from mlbench_preparing import called
from mlbench_tables import split, table

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]


def main() -> None:
    args = called()
    frame = table(args.raw / "train.csv", ["text_id", "full_text", *SCORES]).sample(frac=1, random_state=42)
    cut = int(0.98 * len(frame))
    split(args.out, frame.iloc[:cut], frame.iloc[cut:], "text_id", SCORES)


main()
