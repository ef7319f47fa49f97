"""Whether two files of a repository are of one kind, so that one may replace the other in a command.

Media and data files are of one kind if their endings are equal. Configurations are if they share most of their keys.
Files are parsed, never run.
"""

from __future__ import annotations

import ast
import json
from functools import lru_cache
from pathlib import Path

import yaml

_READ = {".json", ".yaml", ".yml", ".py"}
_LARGEST = 200_000
_SHARED = 0.5
"""Files are of one kind if they share this part of their keys, or more."""


def same_kind(one: Path, other: Path) -> bool:
    """Whether both are of one kind; files without keys to compare are not, if their ending allows keys."""
    if one.suffix != other.suffix:
        return False
    if one.suffix not in _READ:
        return True
    keys, others = _keys(one), _keys(other)
    return bool(keys) and len(keys & others) >= _SHARED * len(keys | others)


@lru_cache(maxsize=512)
def _keys(file: Path) -> frozenset[str]:
    """The keys of a configuration, of two levels, or the names that a Python file assigns."""
    try:
        if file.stat().st_size > _LARGEST:
            return frozenset()
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            targets = [node.targets for node in ast.parse(text).body if isinstance(node, ast.Assign)]
            return frozenset(name.id for each in targets for name in each if isinstance(name, ast.Name))
        data = json.loads(text) if file.suffix == ".json" else yaml.load(text, Loader=yaml.CSafeLoader)
    except (OSError, ValueError, SyntaxError, RecursionError, yaml.YAMLError, MemoryError):
        return frozenset()
    if not isinstance(data, dict):
        return frozenset()
    inner = {f"{key}.{name}" for key, value in data.items() if isinstance(value, dict) for name in value}
    return frozenset({str(key) for key in data} | inner)
