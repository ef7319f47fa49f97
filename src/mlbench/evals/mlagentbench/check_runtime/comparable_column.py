"""A column's values in the forms in which two columns can be compared: texts, numbers, and numbers of kinds."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

_READINGS: tuple[Callable[[str], float], ...] = (
    float,
    lambda cell: int(cell, 16),
    float.fromhex,
    lambda cell: float(cell[::-1]),
)


class DataColumn:
    """A column's values, with what comparisons need of them, computed once."""

    def __init__(self, values: np.ndarray) -> None:
        self.raw = values
        self.is_text = values.dtype.kind in "USO"
        self.cells = np.array(_cells(values)) if self.is_text else values.astype(float)

    @cached_property
    def codes(self) -> np.ndarray:
        """The values as numbers from 0 up, in order of the values."""
        return np.unique(self.cells, return_inverse=True)[1]

    @cached_property
    def kinds(self) -> int:
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    @cached_property
    def texts(self) -> np.ndarray:
        """The values in the form in which those of two columns can be compared."""
        return self.cells if self.is_text else np.array(_cells(self.raw))

    @cached_property
    def place(self) -> dict[str, int]:
        return {cell: at for at, cell in enumerate(self.texts.tolist())}

    @cached_property
    def numbers(self) -> np.ndarray | None:
        return _numbers(self.cells.tolist(), float) if self.is_text else self.cells

    @cached_property
    def readings(self) -> list[np.ndarray]:
        """The values as numbers, in each way in which all of them are some."""
        if not self.is_text:
            return [self.cells]
        found = [_numbers(self.cells.tolist(), read) for read in _READINGS]
        return [each for each in found if each is not None]

    def part(self, rows: np.ndarray) -> DataColumn:
        return (
            self if len(rows) == len(self.raw) and (rows == np.arange(len(rows))).all() else DataColumn(self.raw[rows])
        )


def _cells(values: np.ndarray) -> list[str]:
    """Values as comparable text: numbers in one form, text without blanks around and without case."""
    if values.dtype.kind in "iufb":
        return [f"{float(each):.10g}" for each in values.tolist()]
    return [_cell(str(each)) for each in values.tolist()]


def _cell(text: str) -> str:
    plain = text.strip().casefold()
    try:
        return f"{float(plain):.10g}"
    except ValueError:
        return plain


def _numbers(cells: list[str], read: Callable[[str], float]) -> np.ndarray | None:
    """The cells as finite numbers; None if any is none."""
    try:
        found = np.array([read(cell) for cell in cells], dtype=float)
    except (ValueError, OverflowError, TypeError):
        return None
    return found if np.isfinite(found).all() else None
