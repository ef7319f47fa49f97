"""`mlbench verify --run-sh`: which row a folder belongs to, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.cli.verify import row_of_each
from mlbench.records import UsageError


def test_the_row_is_the_number_that_a_name_ends_in() -> None:
    assert row_of_each([Path("left/pocket-5"), Path("17"), Path("a1b22")], []) == [5, 17, 22]
    assert row_of_each([Path("left/any")], [9]) == [9]


def test_a_folder_without_a_row_is_refused() -> None:
    with pytest.raises(UsageError, match="give --row"):
        row_of_each([Path("left/workspace")], [])
    with pytest.raises(UsageError, match="2 folders and 1 rows"):
        row_of_each([Path("a-1"), Path("a-2")], [1])
