"""A small sound problem from which `mlbench experiment --new` starts a new one."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from mlbench.records import UsageError

_FILES = Path(__file__).parent


def write_problem(folder: Path) -> None:
    """Write the problem into a new folder, under the folder's name.

    Raises:
        UsageError: the folder holds files already, or its name cannot be a problem's.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already and not empty: choose a new folder")
    name = folder.resolve().name
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise UsageError(
            f"{name!r} cannot be a problem's name: use small letters, digits and -, and begin with a letter"
        )
    ignored = shutil.ignore_patterns("__init__.py", "__pycache__")
    try:
        shutil.copytree(_FILES, folder, ignore=ignored, dirs_exist_ok=True)
        task = folder / "task.yaml"
        task.write_text(task.read_text().replace("name: my-problem", f"name: {name}", 1))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
