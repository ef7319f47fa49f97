"""The mean over the records of their Dice coefficients, as published: 1 where there is nothing and nothing is found."""

import numpy as np
from mlbench_grading import Invalid, joined, main

SMOOTH = 1e-6


def grade(workspace: str, hidden: str) -> float:
    with np.load(f"{hidden}/answers.npz", allow_pickle=False) as answers:
        ids, right = answers["ids"].tolist(), answers["masks"]
    rows = joined(f"{workspace}/submission.csv", ids, ["encoded_pixels"], "record_id")
    total = 0.0
    for row, mask in zip(rows, right, strict=True):
        found = decoded(row.cells["encoded_pixels"], mask.shape, row.where)
        total += (2.0 * np.sum(found & mask) + SMOOTH) / (found.sum() + mask.sum() + SMOOTH)
    return float(total / len(rows))


def decoded(text: str, shape: tuple[int, int], where: str) -> np.ndarray:
    """The mask (row, column) of runs of pixels, counted from 1, column after column; `-` is none at all."""
    mask = np.zeros(shape[0] * shape[1], bool)
    words = [] if text.strip() == "-" else text.split()
    sound = all(word.isascii() and word.isdigit() and len(word) < 10 for word in words)
    if len(words) % 2 or not sound or (not words and text.strip() != "-"):
        raise Invalid(f"{where}: encoded_pixels are pairs of a start and a length, or a single -")
    runs = np.array(words, np.int64).reshape(-1, 2)
    ends = runs.sum(axis=1) - 1
    if (runs < 1).any() or (ends > mask.size).any() or (runs[1:, 0] <= ends[:-1]).any():
        raise Invalid(f"{where}: a run overlaps another, is out of order, empty or out of the picture")
    for start, end in zip(runs[:, 0], ends, strict=True):
        mask[start - 1 : end] = True
    return mask.reshape(shape, order="F")


main(grade)
