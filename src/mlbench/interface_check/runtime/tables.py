"""Build classes whose fields are options, for missing libraries, from a table of fields by version.

`tools/make_field_tables.py` makes the table `fields.json` from the libraries' wheels. The versions that the repository
declares count. A class has the fields of all these versions; a field that some of them lack gets a note.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import json
import os
import re
import types
import typing
from typing import Any

from . import library_parsers, library_versions, stubs

LIBRARIES = ("transformers", "trl")
_ARCHIVE = re.compile(r"(?i)^pretrained_config_archive_map$|_PRETRAINED_(?:CONFIG_|MODEL_)?ARCHIVE_(?:MAP|LIST)$")
_REQUIRED = re.compile(
    r"(?<![\w./-])([A-Za-z][\w.-]*)(?:\[[^\]\n]*\])?[ \t]*"
    r"((?:(?:===?|~=|>=|<=|>|<|=|!=)[ \t]*[\d.]+[\w.*]*[ \t]*,?[ \t]*)+)"
)
_COMMENT = re.compile(r"(?m)(?:^|[ \t])#.*$")
_BOUND = re.compile(r"(===?|~=|>=|<=|!=|>|<|=)[ \t]*([\d.]+)")
_SIMPLE = {"str": str, "int": int, "float": float, "bool": bool, "dict": dict, "list": list, "tuple": tuple}
_SIMPLE.update(List=list, Dict=dict, Tuple=tuple, JSONDict=dict)
_UNKNOWN = {"!": "unknown"}


def requirements(text: str) -> dict[str, str]:
    """Read the required versions of libraries from a requirements file, setup.py or pyproject.toml."""
    found: dict[str, str] = {}
    for match in _REQUIRED.finditer(_COMMENT.sub("", text)):
        if any(bound != "!=" for bound, _ in _BOUND.findall(match[2])):
            found.setdefault(match[1], match[2].strip(" \t,"))
    return found


class Tables:
    """The classes and enumerations of the missing libraries, for one repository.

    Args:
        required: the declared versions by library, as in `>=4.28.1,<5`. A missing library has all versions.
        notes: filled with the note of each field, for command lines that set it.
    """

    def __init__(self, required: dict[str, str], notes: dict[str, str]) -> None:
        self._required, self._notes = required, notes
        self._tables: dict[str, dict[str, Any]] = {}
        self._made: dict[tuple[str, str], Any] = {}

    def known(self, owner: str, name: str) -> Any:
        """Return a name of a missing library; None if the table lacks it."""
        library = owner.partition(".")[0]
        if name == "__version__":
            return self._version(library)
        if _ARCHIVE.search(name):
            return {}  # names of models that a help text joins; which there are is unknown
        if library not in LIBRARIES:
            return library_parsers.known(owner, name)
        if (library, name) not in self._made:
            self._made[library, name] = self._make(library, name)
        return self._made[library, name]

    def _make(self, library: str, name: str) -> Any:
        if not self._tables:
            with open(os.path.join(os.path.dirname(__file__), "fields.json"), encoding="utf-8") as file:
                self._tables = json.load(file)
        table = self._tables[library]
        first, last = allowed(table["versions"], self._required.get(library, ""))
        if name in table["enumerations"]:
            spans = _within(table["enumerations"][name], first, last)
            members = {each: value for _, _, those in spans for each, value in those.items()}
            return enum.Enum(name, members, type=str, module=library) if members else None
        if name not in table["classes"] or not _within(table["bases"][name], first, last):
            return None
        return self._class(library, name, first, last)

    def _class(self, library: str, name: str, first: int, last: int) -> Any:
        """Make a dataclass with the fields of these versions, each as in the newest."""
        table = self._tables[library]
        bases = [self._base(library, base) for base in _within(table["bases"][name], first, last)[-1][2]]
        inherited = {field.name for base in bases for field in dataclasses.fields(base)}
        first, last = max(first, table["bases"][name][0][0]), min(last, table["bases"][name][-1][1])
        required: list[tuple[str, Any, Any]] = []
        optional: list[tuple[str, Any, Any]] = []
        for field, spans in table["classes"][name].items():
            those = _within(spans, first, last)
            if not those:
                continue
            since, until = max(first, those[0][0]), min(last, those[-1][1])
            if (since > first or until < last) and field not in inherited:
                versions = table["versions"]
                said = versions[since] if since == until else f"{versions[since]} to {versions[until]}"
                self._notes[field] = f"{field}: an option of {library} {said}, not of every version that is allowed"
            made = self._field(library, those[-1][2])
            (optional if "default" in those[-1][2] else required).append((field, *made))
        space = {"__module__": __name__, "__post_init__": lambda self: None, "has_table": True}
        return dataclasses.make_dataclass(name, [*required, *optional], bases=(*bases, stubs.Base), namespace=space)

    def _base(self, library: str, name: str) -> Any:
        return next(found for owner in (library, *LIBRARIES) if (found := self.known(owner, name)) is not None)

    def _field(self, library: str, said: dict[str, Any]) -> tuple[Any, Any]:
        kind = self._annotation(library, ast.parse(said["type"], mode="eval").body)
        named: dict[str, Any] = {"metadata": {name: said[name] for name in said if name not in ("type", "default")}}
        default = said.get("default", dataclasses.MISSING)
        if default == _UNKNOWN:
            named["default"] = stubs.Stub("default")
        elif isinstance(default, (list, dict)):
            named["default_factory"] = default.copy
        elif default is not dataclasses.MISSING:
            named["default"] = default
        return kind, dataclasses.field(**named)

    def _annotation(self, library: str, node: ast.expr) -> Any:
        """The type that an annotation names; its text if the type is unknown."""
        if isinstance(node, ast.Constant):
            return type(None) if node.value is None else str
        if isinstance(node, ast.BinOp):
            return typing.Union[self._annotation(library, node.left), self._annotation(library, node.right)]  # noqa: UP007
        if isinstance(node, ast.Subscript):
            return self._subscript(library, ast.unparse(node.value), node.slice)
        name = ast.unparse(node)
        if name in _SIMPLE:
            return _SIMPLE[name]
        found = self.known(library, name)
        return found if isinstance(found, type) else str

    def _subscript(self, library: str, name: str, inside: ast.expr) -> Any:
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
        if name == "Literal":
            return typing.Literal.__getitem__(tuple(ast.literal_eval(part) for part in parts))
        kinds = [self._annotation(library, part) for part in parts]
        if name == "Optional":
            return typing.Union.__getitem__((kinds[0], None))
        if name == "Union":
            return typing.Union.__getitem__(tuple(kinds))
        if name in ("list", "List"):
            return types.GenericAlias(list, (kinds[0],))
        return _SIMPLE.get(name, kinds[0])

    def _version(self, library: str) -> str | None:
        """The version of a library's stub: the usual one, or the nearest that the repository declares; None: any."""
        required = next((self._required[name] for name in _names(library) if name in self._required), "")
        usual = library_versions.usual(library)
        low, high = _bounds(required)
        if low and _numbers(usual) < _numbers(low):
            return low
        if not high or _numbers(usual) < _numbers(high):
            return usual if required else None
        return high if re.search(rf"=[ \t]*{re.escape(high)}", required) else _below(high)


def _names(library: str) -> list[str]:
    """The names of the distributions that may have a library."""
    return [library, *(library + part + kind for part in "-_" for kind in ("full", "gpu", "cpu", "lite"))]


def _below(version: str) -> str:
    """A version that is older than this one, and newer than those that are older by more than a step."""
    numbers = _numbers(version)
    while numbers and not numbers[-1]:
        numbers.pop()
    return ".".join(map(str, [*numbers[:-1], numbers[-1] - 1, 99])) if numbers else version


def allowed(versions: list[str], required: str) -> tuple[int, int]:
    """The first and the last version of a table that count; the neighbours of a version that it lacks."""
    low, high = _bounds(required)
    numbers = [_numbers(version) for version in versions]
    first = max([place for place, each in enumerate(numbers) if low and each <= _numbers(low)], default=0)
    last = min(
        [place for place, each in enumerate(numbers) if high and each >= _numbers(high)], default=len(numbers) - 1
    )
    return first, max(first, last)


def _bounds(required: str) -> tuple[str, str]:
    low = high = ""
    for bound, version in _BOUND.findall(required):
        version = version.strip(".")
        if bound in (">=", ">", "==", "===", "=", "~="):
            low = version
        if bound in ("<=", "<", "==", "===", "=", "~="):
            high = version
    return low, high


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _within(spans: list[list[Any]], first: int, last: int) -> list[list[Any]]:
    return [span for span in spans if span[0] <= last and span[1] >= first]
