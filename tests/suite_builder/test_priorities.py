"""A person's list of what is wanted first."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.suite_builder.priorities import LONGEST, NO_PRIORITIES, read_priorities


def test_each_item_of_a_list_is_a_name(tmp_path: Path) -> None:
    (tmp_path / "builder.md").write_text("# First\n\n1. `tools/train.py`\n* --learning_rate\n- [ ] gat\n")
    assert read_priorities(tmp_path).names == ("tools train.py", "learning rate", "gat")
    assert read_priorities(tmp_path / "nosuch") == NO_PRIORITIES


def test_a_name_is_found_in_a_command_as_whole_words(tmp_path: Path) -> None:
    (tmp_path / "builder.md").write_text("- lr\n- train.py\n")
    wanted = read_priorities(tmp_path)
    assert wanted.rank("python x.py --lr 1") == 0
    assert wanted.rank("python tools/train.py --lrate 1") == 1
    assert wanted.rank("python retrain.py --lr-decay 1", "other") == 0
    assert wanted.rank("python retrain.py") == 2


def test_a_list_that_is_no_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "builder.md").write_text("x" * (LONGEST + 1))
    with pytest.raises(UsageError, match="a list of names"):
        read_priorities(tmp_path)
