"""A draft goes through the interface check, and what the repository's own program says of it becomes feedback.

Only the instruction is looked at beside the draft: a value that it names and that the program did not get is a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from inspect_ai.util import concurrency

from mlbench.agents.ml_agent.prompts import words
from mlbench.agents.ml_agent.result import Checked
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_schemas import ToolAnswer
from mlbench.agents.ml_agent.unmet_requirements import unchosen, unmet
from mlbench.interface_check.checker import Checker
from mlbench.judging.extract import extract
from mlbench.prompts.messages import fenced
from mlbench.records import Candidate, Check, CheckStatus, Invocation, Kind, OptionSchema, UsageError

_MOST_OPTIONS = 60
_LONGEST = 2000


@dataclass(frozen=True)
class Look:
    """What was found of a draft, and what is to be sent back; empty where nothing is."""

    checked: Checked
    feedback: str = ""


def kind_of(answer: ToolAnswer) -> Kind:
    return "shell" if answer.language == "bash" else "python"


@dataclass(frozen=True)
class Inspection:
    """Attributes:
    checker_of: the checker of a repository.
    workers: checks at the same time, those of the judge included.
    """

    checker_of: Callable[[SearchResult], Checker]
    workers: int

    async def look(self, repository: SearchResult, job: Job, answer: ToolAnswer, *, doubting: bool) -> Look:
        """As `look`, in its turn."""
        async with concurrency("candidates", self.workers):
            return await look(self.checker_of(repository), job, answer, doubting=doubting)


async def look(checker: Checker, job: Job, answer: ToolAnswer, *, doubting: bool) -> Look:
    """Check a draft.

    Args:
        doubting: whether values of the instruction that are nowhere in it are to be asked about, too.

    Raises:
        SandboxUnavailableError: this machine cannot check; not the draft's fault.
    """
    candidate = _candidate(answer)
    try:
        check = await checker.check(candidate, answer.folder, job.prefix)
    except UsageError as error:  # the folder is no folder of the repository
        return Look(Checked(CheckStatus.REJECTED.value, "no-such-folder", str(error)), f"{error}; `.` is its root.")
    checked = Checked(check.status.value, check.reason, check.message[:_LONGEST])
    if check.status is CheckStatus.REJECTED:
        described = await _described(checker, job, answer, candidate, check)
        programs = _programs(described)
        return Look(checked, words("refusal", reason=check.reason, message=check.message[:_LONGEST], programs=programs))
    if check.status is CheckStatus.ACCEPTED:
        described = await _described(checker, job, answer, candidate, check)
        doubts = (*unmet(job.instruction, check, answer.code), *unchosen(job.instruction, described))
        checked = replace(checked, doubts=doubts)
        if doubts and doubting:
            feedback = words("doubt", doubts=doubts, told=_told(check), programs=_programs(described))
            return Look(checked, feedback)
    return Look(checked)


def _candidate(answer: ToolAnswer) -> Candidate:
    """The draft as a judge would read it from the reply."""
    kind = kind_of(answer)
    try:
        found = extract(fenced(answer.code, kind))
    except Exception as error:  # what breaks a parser is no code
        return Candidate(answer.code, None, "answer", f"cannot be read: {type(error).__name__}")
    return found if found.kind else replace(found, code=answer.code)


async def _described(checker: Checker, job: Job, answer: ToolAnswer, candidate: Candidate, check: Check) -> Check:
    """The check with what the programs' options take, where they can be asked for that."""
    if candidate.kind != "shell":
        return check
    return await checker.describe(candidate, answer.folder, job.prefix)


def _programs(described: Check) -> list[dict[str, Any]]:
    """What each program takes; the refused ones alone, where some are."""
    refused = [each for each in described.invocations if each.status is CheckStatus.REJECTED]
    by_program = {each.program: each for each in refused or described.invocations if each.schema}
    return [{"program": program, "options": _options(each)} for program, each in by_program.items()]


def _options(invocation: Invocation) -> list[str]:
    """A line an option: its strings, what it takes, its default, its help."""
    lines = [_option(option, invocation.options.get(option.place, ())) for option in invocation.schema]
    more = len(lines) - _MOST_OPTIONS
    return lines[:_MOST_OPTIONS] + ([f"({more} more)"] if more > 0 else [])


def _option(option: OptionSchema, strings: Iterable[str]) -> str:
    parts = [", ".join(strings) or f"{option.place} (positional)"]
    if option.choices:
        parts.append(f"one of: {', '.join(option.choices)}")
    elif option.type and not option.switch:
        parts.append(option.type)
    if option.switch:
        parts.append("a switch")
    if option.required:
        parts.append("required")
    elif option.default not in (None, "", False):
        parts.append(f"default {option.default}")
    if option.help:
        parts.append(" ".join(option.help.split())[:120])
    return "; ".join(parts)[:400]


def _told(check: Check) -> list[dict[str, Any]]:
    return [
        {"program": each.program or "the code", "given": {n: each.configuration.get(n) for n in each.given}}
        for each in check.invocations
    ]
