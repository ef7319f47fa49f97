"""Toads: ten grams a centimetre, and a little more or less."""

import argparse
import random
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("out", type=Path)
parser.add_argument("--seed", type=int, required=True)
args = parser.parse_args()
rng = random.Random(args.seed)
for part in ("visible", "hidden/perfect", "hidden/permuted"):
    (args.out / part).mkdir(parents=True)
toads = [(number, rng.uniform(1, 11)) for number in range(120)]
rows = [(number, length, 10 * length + rng.uniform(-1, 1)) for number, length in toads]
train, test = rows[:60], rows[60:]
(args.out / "visible/train.csv").write_text("id,length,weight\n" + "".join(f"{i},{x},{y}\n" for i, x, y in train))
(args.out / "visible/test.csv").write_text("id,length\n" + "".join(f"{i},{x}\n" for i, x, _ in test))
answers = "id,weight\n" + "".join(f"{i},{y}\n" for i, _, y in test)
for name in ("answers.csv", "perfect/submission.csv"):
    (args.out / "hidden" / name).write_text(answers)
(args.out / "hidden/permuted/submission.csv").write_text(
    "id,weight\n" + "".join(f"{i},{test[-n - 1][2]}\n" for n, (i, _, _) in enumerate(test))
)
(args.out / "hidden/marker").write_text("the answers to " + "toads stand beside this\n")
