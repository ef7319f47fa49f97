"""Small coloured pictures of ten kinds of things: two digits of a kind blended, warped, coloured.

The digits are bundled with a library that the agent has. Each picture is a blend of two of them, and those of the test
pictures are not those of the training pictures: looking them up finds no label.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.ndimage import affine_transform, gaussian_filter
from sklearn.datasets import load_digits
from sklearn.svm import SVC

TRAINED, TESTED, SIDE = 3200, 1200, 16


def warped(rng: np.random.Generator, digit: np.ndarray) -> np.ndarray:
    """A picture of SIDE x SIDE, in [0, 1]: the digit (8 x 8) turned, sheared, scaled and moved."""
    angle, shear, scale = rng.normal(0, 0.2), rng.normal(0, 0.15), rng.uniform(0.55, 0.72)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.array([[1, shear], [0, 1]])
    centre = np.array([SIDE / 2 - 0.5] * 2) + rng.uniform(-1.5, 1.5, 2)
    return affine_transform(digit, turn * scale, np.array([3.5, 3.5]) - turn * scale @ centre, (SIDE, SIDE), order=1)


def picture(rng: np.random.Generator, digits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Colours and noise over a blend of two digits, as bytes; and the blend alone."""
    first, second = digits[rng.choice(len(digits), 2, replace=False)]
    share = rng.uniform(0.3, 0.7)
    mask = warped(rng, share * first + (1 - share) * second)[..., None]
    ground = rng.uniform(0, 0.6, 3)
    thing = ground + rng.uniform(0.15, 0.4, 3) * rng.choice([-1, 1], p=[0.15, 0.85])
    slope = np.linspace(-1, 1, SIDE)
    light = rng.normal(0, 0.08) * slope[:, None] + rng.normal(0, 0.08) * slope[None]
    texture = gaussian_filter(rng.normal(0, 0.2, (SIDE, SIDE, 3)), (1, 1, 0))
    found = ground * (1 - mask) + thing * mask + light[..., None] + texture + rng.normal(0, 0.05, (SIDE, SIDE, 3))
    return np.uint8(255 * np.clip(found, 0, 1)), mask[..., 0]


def pictures(
    rng: np.random.Generator, kinds: dict[int, np.ndarray], labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Pictures, and what is to be seen in them without colours and noise."""
    images, shapes = zip(*(picture(rng, kinds[label]) for label in labels), strict=True)
    return np.stack(images), np.stack(shapes)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    digits, targets = load_digits(return_X_y=True)
    digits = digits.reshape(-1, 8, 8) / 16
    tested = rng.random(len(digits)) < 0.3
    labels, answers = rng.integers(0, 10, TRAINED), rng.integers(0, 10, TESTED)
    train, clean = pictures(rng, {kind: digits[(targets == kind) & ~tested] for kind in range(10)}, labels)
    test, asked = pictures(rng, {kind: digits[(targets == kind) & tested] for kind in range(10)}, answers)
    model = SVC(C=5).fit(clean.reshape(TRAINED, -1), labels)
    write(args.out, rng, train, labels, test, answers, model.predict(asked.reshape(TESTED, -1)))


def write(
    out: Path,
    rng: np.random.Generator,
    train: np.ndarray,
    labels: np.ndarray,
    test: np.ndarray,
    answers: np.ndarray,
    floor: np.ndarray | None = None,
) -> None:
    """What the agent sees and what the grader needs, of pictures (n, side, side, 3), bytes, and their kinds, 0 to 9.

    Args:
        out: where it is written.
        rng: orders the rows.
        train: pictures to learn from. labels: their kinds.
        test: pictures to tell. answers: their kinds.
        floor: the kinds that one tells who sees the things without colours and noise.
    """
    (out / "visible").mkdir(parents=True)
    (out / "hidden").mkdir()
    ids = np.arange(len(test))
    np.savez(out / "visible/train.npz", images=train, labels=labels.astype(np.uint8))
    np.savez(out / "visible/test.npz", images=test, ids=ids)
    frame = pd.DataFrame({"id": ids, "label": answers})
    frame.to_csv(out / "hidden/answers.csv", index=False)
    told = {"perfect": answers, "permuted": answers[rng.permutation(len(test))]}
    told["trivial"] = np.full(len(test), np.bincount(labels).argmax())
    if floor is not None:
        told["floor"] = floor
    for name, kinds in told.items():
        (out / "hidden" / name).mkdir()
        shown = pd.DataFrame(np.eye(10)[kinds])
        shown.insert(0, "id", frame["id"])
        # the rows in another order are as good: what counts is the id
        shown.iloc[rng.permutation(len(test))].to_csv(out / f"hidden/{name}/submission.csv", index=False)


if __name__ == "__main__":
    main()
