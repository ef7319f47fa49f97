"""The research agent's options: the log, three improvements with a flag each, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlbench.agents.parse_options import check_numbers, from_names
from mlbench.records import UsageError


@dataclass(frozen=True)
class ResearchOptions:
    """Options of the research agent; `PUBLISHED` is the published one.

    Attributes:
        log: keep a research log. The published log helps on long tasks and hurts on short ones.
        show_budget: show the remaining steps and time in the prompt.
        free_log: write and search the log by rules; else the helper model is asked twice per step.
        check_facts: point out figures of the Fact Check without a source in the next prompt.
        as_published: use the published agent's rules in the prompt, and do not name the actions that it hides.
        steps: the most replies of the model; None for the problem's limit.
        seconds: the most working time; None for the problem's limit.
        last: the steps that the prompt shows in full.
        longest: characters; longer observations are summarised.
        faults: the agent ends after this many unreadable replies in a row.
        after: go on after a step of a kept attempt, as `FOLDER:STEP`; empty to begin with the starter.
    """

    log: bool = True
    show_budget: bool = True
    free_log: bool = True
    check_facts: bool = True
    as_published: bool = False
    steps: int | None = None
    seconds: float | None = None
    last: int = 3
    longest: int = 5000
    faults: int = 3
    after: str = ""

    def __post_init__(self) -> None:
        for flag in ("log", "show_budget", "free_log", "check_facts", "as_published"):
            if not isinstance(value := getattr(self, flag), bool):
                raise UsageError(f"research_agent: {flag}={value!r}: expected true or false")
        check_numbers(self, "research_agent", {"steps": 1, "seconds": 1, "last": 1, "longest": 500, "faults": 1})
        if not isinstance(self.after, str):
            raise UsageError(f"research_agent: after={self.after!r}: expected FOLDER:STEP")


def options_of(given: ResearchOptions | Mapping[str, Any] | None) -> ResearchOptions:
    """Return the options, from an object or from their names.

    Raises:
        UsageError: a name is unknown, or a value is not allowed.
    """
    return from_names(ResearchOptions, "research_agent", given)


PUBLISHED = ResearchOptions(log=False, show_budget=False, free_log=False, check_facts=False, as_published=True)
"""The agent as published: its log is off by default."""
