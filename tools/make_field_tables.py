"""Make the tables of options that libraries define as dataclass fields, from the libraries' wheels.

    python tools/make_field_tables.py [--wheels DIR] [--output src/mlbench/interface_check/runtime/fields.json]

Each wheel is downloaded with pip into a temporary folder (or taken from DIR) and read as text: nothing is installed or
imported. For every class the table holds each field's annotation, default and choices, and the versions in which they
are so. `mlbench.interface_check.runtime.tables` makes classes of it, which stand in where the library is missing.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

LIBRARIES = {  # classes, versions
    "transformers": (
        "TrainingArguments Seq2SeqTrainingArguments GlueDataTrainingArguments SquadDataTrainingArguments",
        "2.11.0 3.0.2 3.5.1 4.2.2 4.9.2"
        " 4.18.0 4.28.1 4.33.3 4.37.2 4.41.2 4.45.2 4.48.3 4.51.3 4.54.1 4.57.6 5.2.0 5.12.1 5.23.0",
    ),
    "trl": (
        "SFTConfig DPOConfig GRPOConfig KTOConfig RLOOConfig RewardConfig ORPOConfig CPOConfig"
        " ModelConfig ScriptArguments DatasetMixtureConfig",
        "0.7.11 0.9.6 0.11.4 0.13.0 0.16.1 0.19.1 0.23.1 0.26.2 1.0.0 1.8.0 1.16.0",
    ),
}
OUTPUT = Path(__file__).parent.parent / "src/mlbench/interface_check/runtime/fields.json"
UNKNOWN = {"!": "unknown"}  # a default that only running the library would give
KEPT = ("choices", "aliases", "nargs")  # of a field's metadata, which argparse gets

Spans = list[list[Any]]  # [first version, last version, what holds in them], versions by their place in the list


class Sources:
    """The classes of one wheel, by name."""

    def __init__(self, wheel: Path, tabled: Iterable[str]) -> None:
        self.classes: dict[str, ast.ClassDef] = {}
        self.tabled = tabled
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist(), key=lambda name: ("/experimental/" in name, name)):
                if name.endswith(".py") and b"class " in (text := archive.read(name)) and _matters(name, text):
                    for node in ast.walk(ast.parse(text)):
                        if isinstance(node, ast.ClassDef) and not _is_moved(node):
                            self.classes.setdefault(node.name, node)

    def enumeration(self, name: str) -> dict[str, Any] | None:
        """The members of an enumeration; None if the class is none."""
        node = self.classes.get(name)
        if node is None or not any("Enum" in ast.unparse(base) for base in node.bases):
            return None
        found = {}
        for each in node.body:
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
                found[each.targets[0].id] = _literal(each.value)
        return found

    def fields(self, name: str) -> dict[str, dict[str, Any]]:
        """The fields of a dataclass, with those of its bases that have no table of their own."""
        node = self.classes[name]
        found: dict[str, dict[str, Any]] = {}
        for base in reversed([ast.unparse(base) for base in node.bases]):
            found.update(self.fields(base) if base in self.classes and base not in self.tabled else {})
        for each in node.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                annotation = ast.unparse(each.annotation).strip("'\"")
                if "ClassVar" not in annotation and (field := self._field(annotation, each.value)) is not None:
                    found[each.target.id] = field
        return found

    def bases(self, name: str) -> list[str]:
        """The bases of a class that have a table of their own, or that the library does not define."""
        node = self.classes[name]
        found = []
        for base in node.bases:
            words = ast.unparse(base)
            found += self.bases(words) if words in self.classes and words not in self.tabled else [words]
        return found

    def _field(self, annotation: str, value: ast.expr | None) -> dict[str, Any] | None:
        field: dict[str, Any] = {"type": annotation}
        if value is None:
            return field
        if not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("field")):
            return {**field, "default": self._default(value)}
        named = {word.arg: word.value for word in value.keywords}
        if (init := named.get("init")) is not None and not _literal(init):
            return None
        if "default" in named:
            field["default"] = self._default(named["default"])
        elif (factory := named.get("default_factory")) is not None:
            made = {"list": [], "dict": {}}.get(ast.unparse(factory), UNKNOWN)
            field["default"] = self._default(factory.body) if isinstance(factory, ast.Lambda) else made
        if isinstance(metadata := named.get("metadata"), ast.Dict):
            pairs = zip(metadata.keys, metadata.values, strict=True)
            words = {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
            said = {str(key): _literal(value) for key, value in words.items() if key in KEPT}
            field.update({key: value for key, value in said.items() if value != UNKNOWN})
        return field

    def _default(self, value: ast.expr) -> Any:
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            members = self.enumeration(value.value.id) or {}
            return members.get(value.attr, UNKNOWN)
        return _literal(value)


def _is_moved(node: ast.ClassDef) -> bool:
    """Whether the class only stands where it once was: its base is itself, imported under a private name."""
    return any(ast.unparse(base) == f"_{node.name}" for base in node.bases)


def _matters(name: str, text: bytes) -> bool:
    return "/models/" not in name and (b"@dataclass" in text or b"Enum" in text)


def _literal(value: ast.expr) -> Any:
    try:
        found = ast.literal_eval(value)
        json.dumps(found, allow_nan=False)
    except (ValueError, TypeError):
        return UNKNOWN
    return list(found) if isinstance(found, tuple) else found


def table(names: Sequence[str], wheels: list[tuple[str, Path]]) -> dict[str, Any]:
    """The table of one library, from its wheels in the order of their versions."""
    classes: dict[str, dict[str, Spans]] = {}
    bases: dict[str, Spans] = {}
    enumerations: dict[str, Spans] = {}
    for place, (_, wheel) in enumerate(wheels):
        sources = Sources(wheel, names)
        for name in names:
            if name not in sources.classes:
                continue
            _extend(bases.setdefault(name, []), place, sources.bases(name))
            for field, is_so in sources.fields(name).items():
                _extend(classes.setdefault(name, {}).setdefault(field, []), place, is_so)
                for word in _names(is_so["type"]):
                    if (members := sources.enumeration(word)) is not None:
                        spans = enumerations.setdefault(word, [])
                        if not spans or spans[-1][1] < place:
                            _extend(spans, place, members)
    versions = [version for version, _ in wheels]
    return {"versions": versions, "enumerations": enumerations, "bases": bases, "classes": classes}


def _extend(spans: Spans, place: int, is_so: Any) -> None:
    if spans and spans[-1][1] == place - 1 and spans[-1][2] == is_so:
        spans[-1][1] = place
    else:
        spans.append([place, place, is_so])


def _names(annotation: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if isinstance(node, ast.Name):
            yield node.id


def wheel_of(library: str, version: str, folder: Path) -> Path:
    """The wheel of a version, downloaded if it is not in the folder yet.

    Raises:
        subprocess.CalledProcessError: pip cannot get it.
    """
    if not (found := list(folder.glob(f"{library}-{version}-*.whl"))):
        words = ["uvx", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", f"{library}=={version}"]
        subprocess.run([*words, "--dest", str(folder)], check=True)
        found = list(folder.glob(f"{library}-{version}-*.whl"))
    return found[0]


def text_of(tables: dict[str, Any]) -> str:
    """The tables as JSON, a field a line, so that a difference can be read."""
    lines = []
    for library, found in tables.items():
        rest = {name: found[name] for name in ("versions", "enumerations", "bases")}
        kinds = []
        for kind, fields in found["classes"].items():
            rows = ",\n".join(f"   {json.dumps(name)}: {_short(spans)}" for name, spans in fields.items())
            kinds.append(f"  {json.dumps(kind)}: {{\n{rows}\n  }}")
        head = ",\n".join(f" {json.dumps(name)}: {_short(value)}" for name, value in rest.items())
        lines.append(f'{json.dumps(library)}: {{\n{head},\n "classes": {{\n' + ",\n".join(kinds) + "\n }\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _short(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="A folder of wheels; what is missing there is downloaded to it.")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.wheels or Path(scratch)
        tables = {
            library: table(
                names.split(), [(version, wheel_of(library, version, folder)) for version in versions.split()]
            )
            for library, (names, versions) in LIBRARIES.items()
        }
    options.output.write_text(text_of(tables), encoding="utf-8")
    print(f"{options.output}: {options.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
