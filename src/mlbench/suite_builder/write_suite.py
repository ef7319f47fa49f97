"""Writes the files of a suite: recipes, and the decisions of each step."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from mlbench.records import PYTHON_TYPE, SHELL_TYPE
from mlbench.repositories.documents import lines_of, text_of
from mlbench.suite_builder.arguments.references import escaped
from mlbench.suite_builder.types import BuildDecision, DraftTask, RecipeDraft
from mlbench.suites.recipes import Recipe, Words, segment_hash


class _Block(str):
    """Text that is written as a literal block."""


class _Writer(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Writer.add_representer(
    _Block, lambda writer, text: writer.represent_scalar("tag:yaml.org,2002:str", str(text), style="|")
)


def recipe_text(draft: RecipeDraft, instructions: Sequence[str], repository: Path) -> str:
    """A draft as the text of a recipe (docs/reference/recipes.md).

    Args:
        draft: the task with its arguments.
        instructions: the templates.
        repository: its checkout, which holds the segment.
    """
    draft, instructions = _settled(draft, instructions)
    task, block = draft.task, draft.task.block
    first, last = block.segment
    segment = "".join(lines_of(text_of(repository / block.page))[first - 1 : last])
    fields: dict[str, Any] = {
        "type": _type(task),
        "path": task.path,
        "segment": {"file": block.page, "lines": [first, last], "sha256": segment_hash(segment)},
        "program": task.program,
        "arguments": {each.name: _values(each.values) for each in draft.arguments},
        "instructions": list(instructions),
        "reference": _Block(draft.reference),
    }
    for name, rules in (("exclude", draft.exclude), ("together", draft.together)):
        if rules:
            fields[name] = [{each: _words(words) for each, words in rule.items()} for rule in rules]
    return yaml.dump(fields, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=120)


def _type(task: DraftTask) -> str:
    return SHELL_TYPE if task.kind == "shell" else PYTHON_TYPE


def _settled(draft: RecipeDraft, instructions: Sequence[str]) -> tuple[RecipeDraft, list[str]]:
    """The draft and its instructions with the values of arguments that have only one: a recipe's arguments vary.

    What a fixed command does stays its argument, also if there is no other.
    """
    reference, texts, varied = draft.reference, list(instructions), []
    for each in draft.arguments:
        if len(each.values) > 1 or draft.task.programs:
            varied.append(each)
            continue
        slot, (said, words) = f"{{{{ {each.name} }}}}", next(iter(each.values.items()))
        value = Recipe.model_construct(type=_type(draft.task), reference=slot).render_reference({each.name: words})
        reference = reference.replace(slot, escaped(value))
        texts = [text.replace(slot, escaped(said)) for text in texts]
    fixed = {each.name for each in draft.arguments} - {each.name for each in varied}
    exclude = [{name: words for name, words in rule.items() if name not in fixed} for rule in draft.exclude]
    settled = replace(draft, arguments=tuple(varied), reference=reference, exclude=tuple(filter(None, exclude)))
    return settled, texts


def _values(values: Mapping[str, Words]) -> Any:
    if all(len(words) == 1 and words[0] == said for said, words in values.items()):
        return list(values)
    return {said: _words(words) for said, words in values.items()}


def _words(words: Words) -> Any:
    return "" if not words else words[0] if len(words) == 1 else list(words)


def write_lines(file: Path, records: Iterable[Any]) -> None:
    """Write records or dataclasses as JSON Lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(each if isinstance(each, dict) else asdict(each), ensure_ascii=False) for each in records)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_decisions(folder: Path, step: str, decisions: Iterable[BuildDecision]) -> None:
    """Write all decisions of a step to `steps/STEP.jsonl`."""
    write_lines(folder / "steps" / f"{step}.jsonl", map(_line, decisions))


def _line(decision: BuildDecision) -> dict[str, Any]:
    """A decision without the fields that only pieces of documentation have."""
    return {name: value for name, value in asdict(decision).items() if value or name not in ("code", "kind", "like")}
