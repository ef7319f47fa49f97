"""The research log: a line or three on each step, and those of them that bear on what is planned now.

By rule it costs nothing: the record of the step is at hand. As published, a model writes and reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.evals.mlagentbench.research_agent.steps import ResearchStep
from mlbench.prompts.bm25 import build

_REASONING, _INPUT, _OBSERVATION = 300, 120, 500
_ENTRIES = 8
_TELLING = re.compile(r"\d|error|exception|fail|time|refus|saved|written", re.I)


def entry(step: ResearchStep) -> str:
    """A step in a few words, by rule."""
    reasoning = ""
    if step.said:
        thoughts = step.said.thoughts
        reasoning = thoughts.get("Thought") or thoughts.get("Research Plan and Status") or ""
    return (
        f"[Reasoning]: {_line(reasoning, _REASONING)}\n[Action]: {action(step)}\n[Observation]: {_telling(step.seen)}"
    )


def action(step: ResearchStep) -> str:
    """The action in one line, long inputs by their size."""
    if step.said is None:
        return "none: the reply could not be read"
    inputs = [
        f"{name}: {_line(text, _INPUT) if len(text) <= _INPUT else f'({len(text):,} characters)'}"
        for name, text in ((name, str(value)) for name, value in step.said.inputs.items())
    ]
    return f"{step.said.action} ({', '.join(inputs)})"


def relevant(entries: Sequence[str], plan: str) -> tuple[str, ...]:
    """The entries that share most with a plan, in their order."""
    if len(entries) <= _ENTRIES:
        return tuple(entries)
    index = build([_words(each) for each in entries], range(1, len(entries) + 1), 1)
    best = index.best(_words(plan), _ENTRIES)
    return tuple(entries[place] for place in sorted(best))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+(?:\.\d+)?", text.lower())


def _telling(text: str) -> str:
    """The lines of an observation that hold figures or faults, the last ones first kept; or its beginning."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    telling = [line[:_OBSERVATION] for line in lines if _TELLING.search(line)]
    kept: list[str] = []
    room = _OBSERVATION
    for line in reversed(telling):
        if (room := room - len(line)) < 0:
            break
        kept.insert(0, line)
    return " | ".join(kept) or _line(" ".join(lines), _OBSERVATION)


def _line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
