"""What the paper says of errors (ML-Bench, section 5.2).

A statement compares the share of answers with one class of error in two groups of runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from mlbench.records import PYTHON_TYPE, SHELL_TYPE
from mlbench.results.models import RunRecord


class Direction(StrEnum):
    """What a statement says of the first group's share."""

    MORE = "more"
    FEWER = "fewer"
    NOT_MORE = "not more"
    SAME = "the same"


@dataclass(frozen=True)
class RunFilter:
    """Runs, and of these the answers, that one side of a statement is about.

    Attributes:
        setting: the runs' setting; empty for any.
        model: a pattern in the model's name; empty for any.
        agents: whether agents worked.
        type: the answer type; empty for any.
    """

    setting: str = ""
    model: str = ""
    agents: bool = False
    type: str = ""

    def holds(self, run: RunRecord) -> bool:
        setting = not self.setting or run.setting == self.setting
        model = not self.model or re.search(self.model, run.model, re.I) is not None
        return setting and model and bool(run.agent) == self.agents and not run.experiments


@dataclass(frozen=True)
class Claim:
    """One statement: in the first group, `direction` answers have the error than in the second.

    Attributes:
        text: the statement, in our words.
        within: whether both groups must be of the same model.
    """

    text: str
    error: str
    direction: Direction
    first: RunFilter
    second: RunFilter
    within: bool = True


_GPT_4O, _GPT_4, _GPT_35, _CLAUDE = r"gpt-4o", r"gpt-4(?!o)", r"gpt-3\.5", r"claude-3"
_LLM, _AGENT = RunFilter(setting="oracle"), RunFilter(agents=True)
_ORACLE, _CODE, _RETRIEVAL = (RunFilter(setting=name) for name in ("oracle", "code", "retrieval"))

CLAIMS = (
    Claim("The oracle leads to fewer E1 than code.", "E1", Direction.FEWER, _ORACLE, _CODE),
    Claim("The oracle leads to fewer E2 than code.", "E2", Direction.FEWER, _ORACLE, _CODE),
    Claim("The oracle changes E3 little against code.", "E3", Direction.SAME, _ORACLE, _CODE),
    Claim("The oracle changes E4 little against code.", "E4", Direction.SAME, _ORACLE, _CODE),
    Claim("Retrieval leads to no more E1 than code.", "E1", Direction.NOT_MORE, _RETRIEVAL, _CODE),
    Claim("Retrieval leads to more E2 than code.", "E2", Direction.MORE, _RETRIEVAL, _CODE),
    Claim(
        "E4 comes mostly from Python answers.",
        "E4",
        Direction.MORE,
        RunFilter(type=PYTHON_TYPE),
        RunFilter(type=SHELL_TYPE),
    ),
    Claim("Agents have fewer E1 than models.", "E1", Direction.FEWER, _AGENT, _LLM),
    Claim("Agents have fewer E4 than models.", "E4", Direction.FEWER, _AGENT, _LLM),
    Claim("Agents have more E2 than models.", "E2", Direction.MORE, _AGENT, _LLM),
    Claim("Agents have more E3 than models.", "E3", Direction.MORE, _AGENT, _LLM),
    Claim(
        "Claude 3 has more E1 than GPT models.",
        "E1",
        Direction.MORE,
        RunFilter(model=_CLAUDE),
        RunFilter(model=r"gpt-"),
        within=False,
    ),
    Claim(
        "Claude 3 has fewer E2 than GPT-3.5.",
        "E2",
        Direction.FEWER,
        RunFilter(model=_CLAUDE),
        RunFilter(model=_GPT_35),
        within=False,
    ),
    *(
        Claim(
            f"Agents on GPT-4o have {direction} {error} than on GPT-4.",
            error,
            direction,
            RunFilter(model=_GPT_4O, agents=True),
            RunFilter(model=_GPT_4, agents=True),
            within=False,
        )
        for error, direction in (("E1", Direction.MORE), ("E2", Direction.FEWER), ("E3", Direction.FEWER))
    ),
    Claim(
        "Agents on GPT-3.5 have more E5 than on GPT-4.",
        "E5",
        Direction.MORE,
        RunFilter(model=_GPT_35, agents=True),
        RunFilter(model=_GPT_4, agents=True),
        within=False,
    ),
)
"""The statements that logs can decide; in our words."""
