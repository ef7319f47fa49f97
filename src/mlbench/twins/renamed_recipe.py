"""Rewrites a recipe by the map of names of its repository."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from mlbench.suites.recipes import OracleSegment, Recipe, load_recipe, read_segment, segment_hash
from mlbench.twins.rewrite import Rewriter

_SLOT = re.compile(r"\{\w*%?\}")
_TAG = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


def rename_recipe(file: Path, target: Path, rewriter: Rewriter, repository: Path) -> None:
    """Write a recipe with new names.

    Args:
        file: the recipe.
        target: the file to write.
        rewriter: of its repository.
        repository: the renamed copy.

    Raises:
        RecipeError: a span cannot be read from the copy.
    """
    recipe = load_recipe(file)
    raw = recipe.model_dump(mode="json", exclude_defaults=True, exclude={"repository", "task", "arguments"})
    raw["arguments"] = {
        name: {_said(said, words, rewriter): [*map(rewriter.word, words)] for said, words in values.items()}
        for name, values in recipe.arguments.items()
    }
    for field in ("exclude", "heavy", "together"):
        if rules := getattr(recipe, field):
            raw[field] = [{name: [*map(rewriter.word, words)] for name, words in rule.items()} for rule in rules]
    raw["segment"] = [_span(span, rewriter, repository) for span in recipe.segment]
    if recipe.published:
        raw["published"] = _span(recipe.published, rewriter, repository)
    raw["program"] = rewriter.path(recipe.program)
    for field in ("equivalent", "artefacts"):
        if paths := getattr(recipe, field):
            raw[field] = [rewriter.path(path) for path in paths]
    for field in ("undocumented", "harmful", "free", "sets"):
        if words := getattr(recipe, field):
            raw[field] = [rewriter.word(word) for word in words]
    raw["instructions"] = [_around(_TAG, each, rewriter.document) for each in recipe.instructions]
    raw["reference"] = _reference(recipe, rewriter)
    if recipe.prefix_code:
        raw["prefix_code"] = rewriter.code(recipe.prefix_code)
    for field in ("wording", "outcome", "note"):
        if field in raw:
            raw[field] = _texts(raw[field], rewriter)
    text = yaml.safe_dump(raw, sort_keys=False, allow_unicode=True, width=120)
    target.write_text(text, encoding="utf-8")


def _said(said: str, words: tuple[str, ...], rewriter: Rewriter) -> str:
    """How a value is said: with its new name if it is said by its old one."""
    if (said,) == words or said == " ".join(words):
        return " ".join(map(rewriter.word, words))
    return rewriter.document(said)


def _span(span: OracleSegment, rewriter: Rewriter, repository: Path) -> object:
    moved = span.model_copy(update={"file": rewriter.path(span.file)})
    return moved.model_copy(update={"sha256": segment_hash(read_segment(repository, moved))}).model_dump(mode="json")


def _reference(recipe: Recipe, rewriter: Rewriter) -> str:
    """The reference's template; its tags stand for values while its text is rewritten."""
    tags = _TAG.findall(recipe.reference)
    text = _TAG.sub(lambda match: f"ZQTAG{len(match[0])}QZ", recipe.reference)
    text = rewriter.python(text) if recipe.kind == "python" else rewriter.code(text)
    rest = iter([re.sub(r"""(["'])(.*?)\1""", lambda m: f"{m[1]}{rewriter.word(m[2])}{m[1]}", tag) for tag in tags])
    return re.sub(r"ZQTAG\d+QZ", lambda _: next(rest), text)


def _around(slot: re.Pattern[str], template: str, rewrite: Callable[[str], str]) -> str:
    """A template whose slots stay, because they name arguments of the recipe."""
    slots = [*slot.findall(template), ""]
    return "".join(rewrite(text) + each for text, each in zip(slot.split(template), slots, strict=True))


def _texts(value: Any, rewriter: Rewriter) -> Any:
    """Every text in a field of a recipe, but for the names of its arguments."""
    if isinstance(value, Mapping):
        return {name: _texts(each, rewriter) for name, each in value.items()}
    if isinstance(value, list):
        return [_texts(each, rewriter) for each in value]
    if not isinstance(value, str) or value in rewriter.names:
        return rewriter.word(value) if isinstance(value, str) else value
    return _around(_SLOT, value, rewriter.document)
