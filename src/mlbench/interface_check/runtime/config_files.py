"""Settings beside the options: in files that an argument names, and in words such as `run.lr=0.1`.

A program that reads `--cfg train.yaml --options run.lr=0.1` carries its values there, so each of them becomes a
destination of its own: `cfg:run.lr`, `options:run.lr`.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

LARGEST = 64 * 1024  # bytes of a file; settings are smaller, and data are none
_SETTING = re.compile(r"([A-Za-z_][\w\-/]*(?:\.[\w\-]+)*)\s*=\s*(.*)", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "~": None}


def settings(configuration: Mapping[str, Any], given: Iterable[str] = ()) -> dict[str, Any]:
    """Further destinations, `NAME:a.b`, for what stands in files and words that the destination NAME holds.

    Args:
        given: the destinations that the command line set; only their words are read, and every file that is there.
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
    """Words such as `a.b=1`, or keys and values in turn, where one of the keys has a dot."""
    settings = [_SETTING.fullmatch(word) for word in words]
    if words and all(settings):
        return {match[1]: scalar(match[2]) for match in settings if match}
    keys = words[0::2]
    if len(words) % 2 == 0 and any("." in key for key in keys) and all(_KEY.fullmatch(key) for key in keys):
        return {key: scalar(value) for key, value in zip(keys, words[1::2], strict=False)}
    return {}


def scalar(text: str) -> Any:
    """A value as YAML reads it, but with 1e-4 a number; lists and mappings where they are JSON."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        plain = text.replace("_", "")
        return int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    if text[:1] in "[{":
        try:
            import json  # not loaded by every program

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
    except Exception:  # not there, or not readable so: no settings
        return {}
    return flat(content) if isinstance(content, dict) else {}


def flat(value: Any, prefix: str = "") -> dict[str, Any]:
    """Nested mappings as dotted destinations; lists stay whole, and so does an empty mapping."""
    if not isinstance(value, dict) or (not value and prefix):
        return {prefix: value}
    result: dict[str, Any] = {}
    for key, entry in value.items():
        result.update(flat(entry, f"{prefix}.{key}" if prefix else str(key)))
    return result
