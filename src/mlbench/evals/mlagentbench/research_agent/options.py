"""What the research agent may do: the published one's log, three improvements with a flag each, and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlbench.agents.parse_options import from_names
from mlbench.records import UsageError


@dataclass(frozen=True)
class ResearchOptions:
    """Without the three flags it is the published agent (seed paper: Huang et al.).

    Attributes:
        log: whether there is a research log. The published one helps on long tasks and hurts on short ones.
        show_budget: the prompt says how many steps and how much time are left.
        free_log: the log is written and searched by rule; without it, the helper model is asked twice a step.
        check_facts: figures of the Fact Check that stand in no observation are pointed out in the next prompt.
        steps: replies of the model in all; None for the problem's bound.
        seconds: of wall time; None for the problem's bound.
        last: steps that the prompt shows whole.
        longest: characters of an observation from which on it is summarised.
        faults: replies in a row that cannot be read, after which the agent ends.
    """

    log: bool = True
    show_budget: bool = True
    free_log: bool = True
    check_facts: bool = True
    steps: int | None = None
    seconds: float | None = None
    last: int = 3
    longest: int = 5000
    faults: int = 3

    def __post_init__(self) -> None:
        for flag in ("log", "show_budget", "free_log", "check_facts"):
            if not isinstance(value := getattr(self, flag), bool):
                raise UsageError(f"research_agent: {flag}={value!r}: true or false is wanted")
        for name, least in {"steps": 1, "seconds": 1, "last": 1, "longest": 500, "faults": 1}.items():
            value = getattr(self, name)
            if value is None and name in ("steps", "seconds"):
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float) if name == "seconds" else int):
                raise UsageError(f"research_agent: {name}={value!r}: a number is wanted")
            if value < least:
                raise UsageError(f"research_agent: {name}={value}: at least {least} is needed")


def options_of(given: ResearchOptions | Mapping[str, Any] | None) -> ResearchOptions:
    """The options, from an object or from their names.

    Raises:
        UsageError: one is unknown, or cannot be.
    """
    return from_names(ResearchOptions, "research_agent", given)


PUBLISHED = ResearchOptions(show_budget=False, free_log=False, check_facts=False)
"""The agent as published."""
