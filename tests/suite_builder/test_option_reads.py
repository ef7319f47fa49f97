"""Which options of a shared parser a program reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.arguments.option_reads import is_read

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
