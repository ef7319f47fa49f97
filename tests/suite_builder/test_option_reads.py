"""Which options of a shared parser a program reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.arguments.option_reads import is_read, is_shown

COMMON = """import argparse
def settings():
    p = argparse.ArgumentParser()
    p.add_argument('--batch_size', type=int)
    p.add_argument('--lr', type=float)
    p.add_argument('--weights')
    args = p.parse_args()
    for each in ['batch_size', 'lr', 'weights']:
        setattr(settings, each, getattr(args, each))
    print(args)
    return args
def work_folder(args):
    return f'runs/{args.lr}'
"""
FILES = {
    "utils/__init__.py": "",
    "utils/common.py": COMMON,
    "train.py": "from utils.common import settings, work_folder\nargs = settings()\n"
    "print(work_folder(args), args.batch_size)\n",
    "demo.py": "from utils.common import settings\nargs = settings()\nprint(args.weights)\n",
    "timm_demo.py": "import timm\n"
    "from utils.common import settings\nargs = settings()\ntimm.create_optimizer(args, 1)\n",
    "whole.py": "from utils import common\nargs = common.settings()\nprint(dict(**vars(args)))\n",
    "broken.py": "from utils.common import settings\nargs = (\n",
}


@pytest.mark.parametrize(
    ("program", "name", "read"),
    [
        ("train.py", "batch_size", True),
        ("train.py", "lr", True),  # by a function that it imports
        ("demo.py", "weights", True),
        ("demo.py", "batch_size", False),
        ("demo.py", "lr", False),  # the function that reads it is not imported
        ("timm_demo.py", "lr", True),  # a library may read any
        ("whole.py", "lr", True),
        ("broken.py", "lr", True),  # nothing can be said
        ("nosuch.py", "lr", True),
    ],
)
def test_an_option_is_read_if_what_the_program_reaches_reads_it(
    tmp_path: Path, program: str, name: str, read: bool
) -> None:
    """A batch size was asked of a demo that shares its parser with the training and always takes one image."""
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    assert is_read(tmp_path, program, name) == read


def test_an_option_that_only_a_library_defines_is_not_shown(tmp_path: Path) -> None:
    """`--resume` of detectron2 was offered for ODISE, and a logger's parameter stood in the oracle for it."""
    (tmp_path / "a.py").write_text(
        "class Config:\n    lr: float = 0.1\n    def log(\n        self,\n        resume: bool = False,\n    ): pass\n"
        "p.add_argument('--size', '-s')\n"
    )
    (tmp_path / "README.md").write_text("Use `--fast`.\n")
    (tmp_path / "gone.py").symlink_to("absent.py")  # ended the build
    names = {"lr": ["--lr"], "resume": ["--resume"], "size": ["-s"], "fast": ["--fast"]}
    assert [name for name, options in names.items() if is_shown(tmp_path, name, options)] == ["lr", "size", "fast"]
