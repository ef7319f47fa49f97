"""Reads a function's parameters with griffe: names, types, choices, defaults, descriptions.

Nothing is run.
"""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import griffe

from mlbench.records import OptionSchema
from mlbench.repositories.documents import inner_files

_DESCRIBED = re.compile(r"ArgumentParser\([^()]*?\bdescription\s*=\s*([\"'])([^\"'\n]+)\1\s*[,)]")


@lru_cache(maxsize=256)
def parameters(repository: Path, function: str) -> dict[str, OptionSchema]:
    """The parameters of a function or class by its dotted name; none if its file is not found."""
    found = _member(repository, function)
    inner = found.members.get("__init__") if isinstance(found, griffe.Class) else found
    if not isinstance(inner, griffe.Function):
        return {}
    told = _told(found) | _told(inner)
    variadic = (griffe.ParameterKind.var_keyword, griffe.ParameterKind.var_positional)
    return {
        one.name: OptionSchema(
            place=one.name,
            type=_type(str(one.annotation or "")),
            choices=_choices(str(one.annotation or "")),
            default=_default(one),
            help=told.get(one.name, ""),
            required=one.required,
        )
        for one in inner.parameters
        if one.kind not in variadic and one.name not in ("self", "cls")
    }


def about(repository: Path, program: str, functions: Sequence[str]) -> str:
    """The first sentence of the first docstring among called functions, or of the program's module or parser.

    Args:
        repository: the checkout.
        program: the program's path.
        functions: dotted names, the most important first.
    """
    for function in functions:
        found = _member(repository, function)
        if found is not None and found.docstring is not None:
            return _sentence(found.docstring.value)
    file = repository / program
    if functions or not program.endswith(".py") or not file.resolve().is_relative_to(repository.resolve()):
        return ""
    module = _module(file) if file.is_file() else None
    if module is not None and module.docstring is not None:
        return _sentence(module.docstring.value)
    described = _DESCRIBED.search(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
    return _sentence(described[2]) if described else ""


def _sentence(text: str) -> str:
    return re.split(r"\n\s*\n|(?<=[.:])\s", text.strip(), maxsplit=1)[0].strip()


@lru_cache(maxsize=1024)
def is_known(repository: Path, function: str) -> bool:
    """Whether a called name is the repository's own: a file of its module names it.

    Methods of what a stub returns are called too (`predict.argmax`); nothing is known about them.
    """
    parts = function.split(".")
    for length in range(1, len(parts)):
        tail = "/" + "/".join(parts[:length])
        for file in inner_files(repository):
            if f"/{file}".endswith((f"{tail}.py", f"{tail}/__init__.py")):
                text = (repository / file).read_text(encoding="utf-8", errors="replace")
                if re.search(rf"\b{re.escape(parts[length])}\b", text):
                    return True
    return False


def _member(repository: Path, function: str) -> griffe.Object | None:
    parts = function.split(".")
    for length in range(len(parts) - 1, 0, -1):
        for top in ("", "src"):
            at = repository.joinpath(top, *parts[:length])
            file = at / "__init__.py" if at.is_dir() else at.with_name(at.name + ".py")
            if not file.is_file() or not file.resolve().is_relative_to(repository.resolve()):
                continue
            found: object = _module(file)
            for name in parts[length:]:
                found = found.members.get(name) if isinstance(found, griffe.Module | griffe.Class) else None
            if isinstance(found, griffe.Function | griffe.Class):
                return found
    return None


@lru_cache(maxsize=256)
def _module(file: Path) -> griffe.Module | None:
    try:
        return griffe.visit(file.stem, filepath=file, code=file.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError, OSError, RecursionError):
        return None


def _told(found: griffe.Object | None) -> dict[str, str]:
    """One line of the docstring for each parameter."""
    if found is None or found.docstring is None:
        return {}
    logging.getLogger("griffe").setLevel(logging.CRITICAL)  # griffe would warn about the repository's docstrings
    told: dict[str, str] = {}
    for section in found.docstring.parse("auto"):
        if isinstance(section, griffe.DocstringSectionParameters):
            told |= {one.name: " ".join(one.description.split())[:600] for one in section.value}
    return told


def _type(annotation: str) -> str:
    plain = annotation.replace("Optional[", "").replace(" | None", "").strip("]")
    return plain if plain in ("int", "float", "str", "bool") else ""


def _choices(annotation: str) -> tuple[str, ...]:
    if "Literal[" not in annotation:
        return ()
    try:
        found = ast.literal_eval("(" + annotation.partition("Literal[")[2].partition("]")[0] + ",)")
    except (ValueError, SyntaxError):
        return ()
    return tuple(str(each) for each in found)


def _default(parameter: griffe.Parameter) -> object:
    try:
        return ast.literal_eval(str(parameter.default))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def owner_of(function: str) -> str:
    """What instructions call the owner of a parameter: a class, `Net.fit` of a method, or a function."""
    *rest, last = function.split(".")
    is_method = bool(rest) and rest[-1][:1].isupper() and not last[:1].isupper()
    return f"{rest[-1]}.{last}" if is_method else last
