"""The research log: a short entry per step, and a search for relevant entries.

These rules make the entries without a model. In the published agent a model writes and reads the log.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.evals.mlagentbench.research_agent.steps import ResearchStep
from mlbench.prompts.bm25 import build

_REASONING, _INPUT, _OBSERVATION = 300, 120, 500
_ENTRIES = 8
_INFORMATIVE = re.compile(r"\d|error|exception|fail|time|refus|saved|written", re.I)


def entry(step: ResearchStep) -> str:
    """Return the log entry of a step: reasoning, action, observation."""
    reasoning = ""
    if step.parsed:
        thoughts = step.parsed.thoughts
        reasoning = thoughts.get("Thought") or thoughts.get("Research Plan and Status") or ""
    lines = ["[Reasoning]: " + _line(reasoning, _REASONING), "[Action]: " + action(step)]
    return "\n".join([*lines, "[Observation]: " + _informative(step.observation)])


def action(step: ResearchStep) -> str:
    """Return a step's action in one line; long inputs appear by their size."""
    if step.parsed is None:
        return "none: the reply could not be read"
    inputs = [
        f"{name}: {_line(text, _INPUT) if len(text) <= _INPUT else f'({len(text):,} characters)'}"
        for name, text in ((name, str(value)) for name, value in step.parsed.inputs.items())
    ]
    return f"{step.parsed.action} ({', '.join(inputs)})"


def relevant(entries: Sequence[str], plan: str) -> tuple[str, ...]:
    """Return the entries that share most words with a plan, in their order."""
    if len(entries) <= _ENTRIES:
        return tuple(entries)
    index = build([_words(each) for each in entries], range(1, len(entries) + 1), 1)
    best = index.best(_words(plan), _ENTRIES)
    return tuple(entries[place] for place in sorted(best))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+(?:\.\d+)?", text.lower())


def _informative(text: str) -> str:
    """Return the last lines with figures or errors of an observation, or else its beginning."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    informative = [line[:_OBSERVATION] for line in lines if _INFORMATIVE.search(line)]
    kept: list[str] = []
    room = _OBSERVATION
    for line in reversed(informative):
        if (room := room - len(line)) < 0:
            break
        kept.insert(0, line)
    return " | ".join(kept) or _line(" ".join(lines), _OBSERVATION)


def _line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
