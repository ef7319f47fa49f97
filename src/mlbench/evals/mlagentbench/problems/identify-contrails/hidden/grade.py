"""The Dice coefficient over all pixels of all pictures together: an empty mask is neither rewarded nor left out."""

import numpy as np
from mlbench_grading import Invalid, joined, main


def grade(workspace: str, hidden: str) -> float:
    with np.load(f"{hidden}/answers.npz", allow_pickle=False) as answers:
        ids, right = answers["ids"].tolist(), answers["masks"]
    rows = joined(f"{workspace}/submission.csv", ids, ["encoded_pixels"], "record_id")
    found = np.stack([decoded(row.cells["encoded_pixels"], right.shape[1:], row.where) for row in rows])
    return 2.0 * float((found & (right > 0)).sum()) / float(found.sum() + right.sum())


def decoded(text: str, shape: tuple[int, int], where: str) -> np.ndarray:
    """The mask (row, column) of runs of pixels, counted from 1, column after column; `-` is none at all."""
    height, width = shape
    mask = np.zeros(height * width, bool)
    words = text.split()
    if words == ["-"]:
        return mask.reshape(width, height).T
    if not words or len(words) % 2:
        raise Invalid(f"{where}: encoded_pixels are pairs of a start and a length, or a single -")
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise Invalid(f"{where}: encoded_pixels holds what is no whole number above zero")
    last = 0
    for start, length in zip(map(int, words[::2]), map(int, words[1::2]), strict=True):
        if start <= last or length < 1 or start + length - 1 > mask.size:
            raise Invalid(f"{where}: the run {start} {length} overlaps, is out of order, empty or out of the picture")
        last = start + length - 1
        mask[start - 1 : last] = True
    return mask.reshape(width, height).T


main(grade)
