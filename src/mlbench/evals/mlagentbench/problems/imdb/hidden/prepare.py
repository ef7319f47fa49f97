"""Reviews of films, made up: opinions on several things, negated, weakened and strengthened, and a verdict at the end.

A word alone says little ("not bad", "hardly good"); its neighbours say much; what stands before "but" hardly counts.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

TRAINED, TESTED = {"easy": 6000, "standard": 3000, "hard": 1500}, 1500
"""Reviews to learn from, by tier, and reviews to tell."""
GOOD = {"good": 1, "great": 2, "moving": 1, "brilliant": 2, "funny": 1, "gripping": 2, "clever": 1, "superb": 2}
BAD = {"bad": 1, "awful": 2, "dull": 1, "terrible": 2, "silly": 1, "dreadful": 2, "weak": 1, "boring": 2}
FLIPPING = ["not", "hardly", "never", "far from"]
FORCE = {"": 1.0, "very ": 1.5, "really ": 1.5, "somewhat ": 0.5, "a little ": 0.5}
THINGS = {"film": 1.5, "story": 1.2, "acting": 1.0, "script": 1.0, "ending": 1.0, "music": 0.5, "camera work": 0.5}
FORMS = ["the {thing} was {said}", "i found the {thing} {said}", "the {thing} is {said}", "{said} , that {thing}"]
FILLER = [
    "i saw it on a rainy evening with my sister",
    "it runs for almost two hours",
    "the director also made two films before",
    "it was shot in the mountains",
    "the cinema was half empty",
    "we had read the book years ago",
    "it came out last spring",
]
HEARSAY = ["my friends had told me it was {word}", "i had heard it called {word}", "everybody else called it {word}"]


def opinion(rng: np.random.Generator, mood: float) -> tuple[str, float]:
    """A phrase such as "not very good", and how much it praises."""
    praises = rng.random() < 1 / (1 + np.exp(-1.6 * mood))
    flipped = rng.random() < 0.3
    words = GOOD if praises != flipped else BAD
    word = str(rng.choice(list(words)))
    force = str(rng.choice(list(FORCE), p=[0.5, 0.15, 0.15, 0.1, 0.1]))
    value = words[word] * FORCE[force] * (1 if words is GOOD else -1)
    if flipped:
        return f"{rng.choice(FLIPPING)} {force}{word}", -0.7 * value
    return f"{force}{word}", value


def review(rng: np.random.Generator) -> tuple[str, float]:
    """A text, and how much it praises the film."""
    mood, total = rng.normal(0, 1), 0.0
    clauses = []
    for _ in range(rng.integers(3, 7)):
        thing = str(rng.choice(list(THINGS)))
        said, value = opinion(rng, mood)
        clause = str(rng.choice(FORMS)).format(thing=thing, said=said)
        if rng.random() < 0.25:
            other, second = opinion(rng, -mood)
            # what stands after "but" counts, what stands before it hardly does
            clause, value = (
                f"{str(rng.choice(FORMS)).format(thing=thing, said=other)} but {clause}",
                value + 0.2 * second,
            )
        total += THINGS[thing] * value
        clauses.append(clause)
    for _ in range(rng.integers(1, 4)):
        clauses.insert(rng.integers(len(clauses) + 1), str(rng.choice(FILLER)))
    if rng.random() < 0.6:
        word = rng.choice([*GOOD, *BAD])
        clauses.insert(0, str(rng.choice(HEARSAY)).format(word=word))
    return " . ".join(clauses) + " .", total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tier", choices=TRAINED, default="standard")
    args = parser.parse_args()
    rng, trained = np.random.default_rng(args.seed), TRAINED[args.tier]
    rows = []
    while len(rows) < trained + TESTED:
        text, total = review(rng)
        if abs(total) > 0.5:
            rows.append({"text": text, "label": int(total + rng.normal(0, 0.5) > 0), "total": total})
    frame = pd.DataFrame(rows)
    floor = (frame.pop("total")[trained:] > 0).astype(int).to_numpy()
    write(args.out, frame[:trained], frame[trained:].reset_index(drop=True), floor)


def write(out: Path, train: pd.DataFrame, test: pd.DataFrame, floor: np.ndarray | None = None) -> None:
    """What the agent sees and what the grader needs, of reviews with the columns text and label (0 or 1).

    Args:
        floor: the labels that one tells who knows the rule.
    """
    (out / "visible").mkdir(parents=True)
    (out / "hidden").mkdir()
    test.insert(0, "idx", range(len(test)))
    train.to_csv(out / "visible/train.csv", index=False)
    test[["idx", "text"]].to_csv(out / "visible/test.csv", index=False)
    test[["idx", "label"]].to_csv(out / "hidden/answers.csv", index=False)
    right = test["label"].to_numpy()
    told = {"perfect": right, "permuted": test["label"].sample(frac=1, random_state=2).to_numpy()}
    told["trivial"] = np.full(len(test), int(train["label"].mean() > 0.5))
    if floor is not None:
        told["floor"] = floor
    for name, labels in told.items():
        (out / "hidden" / name).mkdir()
        shown = pd.DataFrame({"idx": test["idx"], "0": 1.0 - labels, "1": 1.0 * labels})
        # the rows in another order are as good: what counts is the id
        shown.sample(frac=1, random_state=1).to_csv(out / f"hidden/{name}/submission.csv", index=False)


if __name__ == "__main__":
    main()
