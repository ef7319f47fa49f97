"""Placeholders get the values that other commands of the pages give to the same option of the same program."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.mining.attested_values import AttestedValues
from mlbench.suite_builder.mining.working_dirs import WorkingDirs
from mlbench.suite_builder.types import CodeBlock


@pytest.fixture
def places(tmp_path: Path) -> WorkingDirs:
    for name in ("tools/demo.py", "other/demo.py", "other/README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return WorkingDirs(tmp_path)


def block(page: str, code: str) -> CodeBlock:
    return CodeBlock(page, (1, 1), (1, 1), (), "", "shell", code)


@pytest.mark.parametrize(
    ("code", "replaced", "wanted"),
    [
        ("python tools/demo.py -f ./data/input.txt", ("<exp_file>", "./data/input.txt"), "exps/yolox_s.py"),
        ("python tools/demo.py -c ./checkpoints/l.pth", ("/path/to/l.pth", "./checkpoints/l.pth"), ""),  # it is told
        ("python tools/demo.py -k 4", ("<k>", "4"), ""),  # another program with this file name has it
        ("python tools/demo.py -n 4", ("<n>", "4"), ""),  # the only other value is a placeholder
    ],
)
def test_a_placeholder_gets_what_the_pages_give_the_option(
    places: WorkingDirs, code: str, replaced: tuple[str, str], wanted: str
) -> None:
    pages = [
        block("README.md", "python tools/demo.py -f exps/yolox_s.py -c yolox_s.pth\npython tools/demo.py -n <n>"),
        block("other/README.md", "python demo.py -k 7"),
    ]
    found, left = AttestedValues(pages, places).put(code, code.split(), (replaced,), "README.md", "")
    assert found == (code.replace(replaced[1], wanted) if wanted else code)
    assert left == (() if wanted else (replaced,))
