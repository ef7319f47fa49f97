"""Pictures of a sea floor, made up: coloured shapes, several in a picture, rare and frequent ones.

Pictures from deep water differ from the others in what is true of them (other animals, among known ones, and a darker
ground), and only on average: no single sign decides.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

SIZE, TRAINED, TESTED = 32, 800, 400
COLORS = np.array([[215, 70, 60], [235, 190, 70], [120, 200, 110], [205, 110, 205]], float)
KNOWN, STRANGE = range(6), range(6, 9)
OVERLOOKED = 0.1
"""The share of animals that whoever made the labels did not see."""
SEEN = 0.3
"""The share of an animal that has to be uncovered, so that one who knows all animals sees it."""


def shape(kind: int, radius: float) -> np.ndarray:
    """Where an animal of this kind is, in a square of 11 pixels."""
    y, x = np.mgrid[-5:6, -5:6] / radius
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    return [
        r < 1,
        (r < 1.1) & (r > 0.6),
        (abs(x) < 0.3) & (abs(y) < 1.2) | (abs(y) < 0.3) & (abs(x) < 1.2),
        (abs(x) < 1.2) & (abs(y) < 0.4),
        (abs(y) < 1.2) & (abs(x) < 0.4),
        r < 0.65 + 0.5 * np.cos(5 * angle),
        (abs(x - y) < 0.4) & (r < 1.4),
        (abs(x) + abs(y) < 1.3) & (abs(x) + abs(y) > 0.7),
        (r < 1.2) & (y > 0.1) | (abs(x) < 0.25) & (abs(y) < 1.2),
    ][kind]


def picture(
    rng: np.random.Generator, categories: list[int], strange: list[int], depth: float
) -> tuple[np.ndarray, list[float]]:
    """A picture, and the share of each animal that no later one covers."""
    ground = np.array([40, 85, 120]) * (1.25 - 0.6 * depth)
    slope = np.linspace(-1, 1, SIZE)[:, None, None] * rng.normal(0, 12) + np.linspace(-1, 1, SIZE)[
        :, None
    ] * rng.normal(0, 12)
    found = ground + rng.normal(0, 6, 3) + slope + rng.normal(0, 9, (SIZE, SIZE, 3))
    animals = [(each // 4, COLORS[each % 4]) for each in categories]
    animals += [(kind, COLORS[rng.integers(4)]) for kind in strange]
    top_most = np.full((SIZE, SIZE), -1)
    sizes = []
    for number, (kind, color) in enumerate(animals):
        mask = shape(kind, rng.uniform(3.0, 4.2))
        top, left = rng.integers(0, SIZE - 10, 2)
        window = found[top : top + 11, left : left + 11]
        seen = color * rng.uniform(0.75, 1.1) * (1.1 - 0.3 * depth) + rng.normal(0, 9, (int(mask.sum()), 3))
        window[mask] = seen
        top_most[top : top + 11, left : left + 11][mask] = number
        sizes.append(mask.sum())
    shares = [float((top_most == number).sum() / size) for number, size in enumerate(sizes)]
    return np.clip(found, 0, 255).astype(np.uint8), shares


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    count = TRAINED + TESTED
    deep = np.concatenate([np.zeros(TRAINED, int), rng.permutation(np.arange(TESTED) % 2)])
    share = 1 / (1 + np.arange(24) * 0.25)
    share = rng.permutation(share / share.sum())
    labels, pictures, told, chances = [], [], [], []
    common = np.argsort(-share)
    for is_deep in deep:
        many = int(rng.choice([1, 2, 3], p=[0.4, 0.4, 0.2]))
        strange = list(rng.choice(STRANGE, rng.integers(1, 3))) if is_deep else []
        known = many - len(strange) if is_deep else many
        categories = sorted(rng.choice(24, max(known, 0), replace=False, p=share).tolist())
        noted = [each for each in categories if rng.random() > OVERLOOKED] or categories
        labels.append(" ".join(map(str, noted)))
        depth = float(np.clip(rng.normal(0.35 + 0.2 * is_deep, 0.15), 0, 1))
        shown, shares = picture(rng, categories, strange, depth)
        pictures.append(shown)
        seen = [each for each, visible in zip(categories, shares, strict=False) if visible > SEEN]
        ranks = [*seen, *(each for each in common if each not in seen)]
        told.append(" ".join(map(str, ranks[:20])))
        chances.append(max([0.3 * depth, *(visible > SEEN for visible in shares[len(categories) :])]))
    for part in ("visible", *(f"hidden/{kind}" for kind in ("perfect", "permuted", "trivial", "floor"))):
        (args.out / part).mkdir(parents=True)
    ids = rng.permutation(np.arange(10_000, 10_000 + count))
    frame = pd.DataFrame({"id": ids, "categories": labels, "osd": deep})
    train, test = frame[:TRAINED], frame[TRAINED:]
    train[["id", "categories"]].to_csv(args.out / "visible/train.csv", index=False)
    test[["id"]].to_csv(args.out / "visible/test.csv", index=False)
    stack = np.stack(pictures)
    np.savez_compressed(args.out / "visible/pictures.npz", train=stack[:TRAINED], test=stack[TRAINED:])
    test.to_csv(args.out / "hidden/answers.csv", index=False)
    # the rows in another order are as good: what counts is the id
    test.sample(frac=1, random_state=1).to_csv(args.out / "hidden/perfect/submission.csv", index=False)
    permuted = test.assign(id=test.id.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(args.out / "hidden/permuted/submission.csv", index=False)
    often = " ".join(map(str, common[:20]))
    test.assign(categories=often, osd=0.5).to_csv(args.out / "hidden/trivial/submission.csv", index=False)
    oracle = test.assign(categories=told[TRAINED:], osd=np.float64(chances[TRAINED:]))
    oracle.to_csv(args.out / "hidden/floor/submission.csv", index=False)


main()
