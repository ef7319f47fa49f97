"""Masks as text: runs of pixels, counted from 1, down the first column, then down the second, and so on."""

import numpy as np


def rle_encode(mask: np.ndarray) -> list[int]:
    """The starts and lengths of the runs of ones in a mask (height, width)."""
    steps = np.flatnonzero(np.diff(np.concatenate([[0], mask.T.ravel() == 1, [0]]).astype(np.int8)))
    return [number for start, end in steps.reshape(-1, 2) for number in (int(start) + 1, int(end - start))]


def list_to_string(runs: list[int]) -> str:
    """The runs with blanks between; - for none."""
    return " ".join(map(str, runs)) or "-"


def rle_decode(text: str, shape: tuple[int, int] = (256, 256)) -> np.ndarray:
    """The mask (height, width) that a text stands for."""
    mask = np.zeros(shape[0] * shape[1], np.uint8)
    numbers = [] if text == "-" else [int(word) for word in text.split()]
    for start, length in zip(numbers[::2], numbers[1::2], strict=True):
        mask[start - 1 : start - 1 + length] = 1
    return mask.reshape(shape, order="F")
