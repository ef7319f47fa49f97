"""Read settings from configuration files and from words such as `run.lr=0.1`.

A program that takes `--cfg train.yaml --options run.lr=0.1` has its values there. So each value becomes a destination
of its own: `cfg:run.lr`, `options:run.lr`.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

LARGEST = 64 * 1024  # bytes of a file; a larger one holds data, not settings
_SETTING = re.compile(r"([A-Za-z_][\w\-/]*(?:\.[\w\-]+)*)\s*=\s*(.*)", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "~": None}


def settings(configuration: Mapping[str, Any], given: Iterable[str] = ()) -> dict[str, Any]:
    """Return further destinations `NAME:a.b` for the files and words in the destination NAME.

    Args:
        configuration: values by destination.
        given: the destinations that the command line set. Words are read only from these; files from all.
    """
    result: dict[str, Any] = {}
    given = set(given)
    for name, value in configuration.items():
        found: dict[str, Any] = {}
        if isinstance(value, str):
            found = _file(value)
        elif isinstance(value, (list, tuple)) and name in given:
            found = _words([str(word) for word in value])
        result.update({f"{name}:{key}": entry for key, entry in found.items()})
    return result


def _words(words: list[str]) -> dict[str, Any]:
    """Read words such as `a.b=1`, or alternating keys and values, if a key has a dot."""
    settings = [_SETTING.fullmatch(word) for word in words]
    if words and all(settings):
        return {match[1]: scalar(match[2]) for match in settings if match}
    keys = words[0::2]
    if keys and all(word.rpartition(".")[2] == keys[0].rpartition(".")[2] for word in words):
        return {}  # files of one kind: `a.txt b.txt`
    if len(words) % 2 == 0 and any("." in key for key in keys) and all(_KEY.fullmatch(key) for key in keys):
        return {key: scalar(value) for key, value in zip(keys, words[1::2], strict=False)}
    return {}


def scalar(text: str) -> Any:
    """Read a value like YAML, but `1e-4` as a number, and lists and mappings only as JSON."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        plain = text.replace("_", "")
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    if text[:1] in "[{":
        try:
            import json  # imported here, because few programs need it

            return json.loads(text.replace("'", '"'))
        except ValueError:
            return text
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _file(path: str) -> dict[str, Any]:
    if not path.endswith((".yaml", ".yml", ".json")):
        return {}
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            return {}
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".json"):
            import json

            content = json.loads(text)
        else:
            import yaml

            content = yaml.safe_load(text)
    except Exception:  # missing or malformed: no settings
        return {}
    return flat(content) if isinstance(content, dict) else {}


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Flatten nested mappings to dotted destinations. Lists and empty mappings stay values."""
    if not isinstance(value, dict) or (not value and prefix):
        return {prefix: value}
    result: dict[str, Any] = {}
    for key, entry in value.items():
        result.update(flat(entry, f"{prefix}.{key}" if prefix else str(key)))
    return result
