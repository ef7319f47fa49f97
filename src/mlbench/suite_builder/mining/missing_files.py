"""Files of settings that a documented command names and that are not there, beside others that are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from mlbench.suite_builder.mining.commands import started

_SETTINGS = re.compile(r"[\w.-]+(?:/[\w.-]+)+\.(?:ya?ml|json|toml|cfg|ini|gin|conf|config|prototxt|py)")
_HELD = re.compile(r"conf|cfg|settings|options?\b|param|recipe|deepspeed|accelerate", re.I)
"""Folders in which a JSON file holds settings; elsewhere it may be data, which a checkout has not."""
_WRITES = re.compile(r"out|save|log|dest|result|export|dump|report|write", re.I)


def missing_file(words: Sequence[str], folder: Path, own: Collection[str] = ()) -> str:
    """Return the first file of settings that a command needs and that is not there; empty if there is none.

    A file counts if its nearest folder that exists holds files of its kind: `configs/Pretrain.yaml` beside
    `configs/pretrain.yaml`. A file elsewhere may be the user's, and so may JSON in a folder that is not for settings.

    Args:
        words: the command's words.
        folder: where it runs.
        own: values that we put in the place of a placeholder.
    """
    found = started(tuple(words))
    argv = found.argv if found else ()
    for at, word in enumerate(argv):
        option, _, value = word.partition("=") if word.startswith("-") and "=" in word else ("", "", word)
        before = option or (argv[at - 1] if at and argv[at - 1].startswith("-") else "")
        if value in own or _WRITES.search(before) or _SETTINGS.fullmatch(value.removeprefix("./")) is None:
            continue
        if value.endswith(".json") and _HELD.search(value.rpartition("/")[0]) is None:
            continue
        file = folder / value
        near = file.parent
        while near != folder and folder in near.parents and not near.is_dir():
            near = near.parent
        if near != folder and near.is_dir() and not file.exists() and any(near.rglob(f"*{file.suffix}")):
            return value
    return ""
