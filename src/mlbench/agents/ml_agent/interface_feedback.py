"""Check a draft with the repository's own program, and turn its errors into feedback.

The check does not know the reference. It uses the instruction: a value that it names and the program does not get is
a doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from inspect_ai.util import concurrency

from mlbench.agents.ml_agent.prompts import render_prompt
from mlbench.agents.ml_agent.result import CheckSummary
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
class CheckFeedback:
    """The result of a check, and the feedback for the model; empty if the draft needs none."""

    checked: CheckSummary
    feedback: str = ""


@dataclass(frozen=True)
class ProgramOptions:
    """A program and one line per option, for the feedback."""

    program: str
    options: list[str]


@dataclass(frozen=True)
class ProgramValues:
    """A program and the values that it got explicitly, for the feedback."""

    program: str
    given: Mapping[str, object]


def kind_of(answer: ToolAnswer) -> Kind:
    """Return the language of an answer."""
    return "shell" if answer.language == "bash" else "python"


@dataclass(frozen=True)
class DraftChecker:
    """Checks drafts for any repository.

    Attributes:
        checker_of: returns the interface check of a repository.
        workers: parallel checks, including those of the scorer.
    """

    checker_of: Callable[[SearchResult], Checker]
    workers: int

    async def check(self, repository: SearchResult, job: Job, answer: ToolAnswer, *, doubting: bool) -> CheckFeedback:
        """Check a draft as `check_draft` does, as soon as a worker is free.

        Args:
            repository: the repository that the draft uses.
            job: the task.
            answer: the draft.
            doubting: also give feedback on values of the instruction that the draft does not use.

        Raises:
            SandboxUnavailableError: this machine cannot check drafts.
        """
        async with concurrency("candidates", self.workers):
            return await check_draft(self.checker_of(repository), job, answer, doubting=doubting)


async def check_draft(checker: Checker, job: Job, answer: ToolAnswer, *, doubting: bool) -> CheckFeedback:
    """Check a draft, and say what the model should mend.

    Args:
        checker: the interface check of the repository.
        job: the task.
        answer: the draft.
        doubting: also give feedback on values of the instruction that the draft does not use.

    Raises:
        SandboxUnavailableError: this machine cannot check drafts.
    """
    candidate = _candidate(answer)
    try:
        check = await checker.check(candidate, answer.folder, job.prefix)
    except UsageError as error:  # the repository has no such folder
        return CheckFeedback(
            CheckSummary(CheckStatus.REJECTED.value, "no-such-folder", str(error)), f"{error}; `.` is its root."
        )
    checked = CheckSummary(check.status.value, check.reason, check.message[:_LONGEST])
    if check.status is CheckStatus.REJECTED:
        described = await _described(checker, job, answer, candidate, check)
        programs = _programs(described)
        return CheckFeedback(
            checked, render_prompt("refusal", reason=check.reason, message=check.message[:_LONGEST], programs=programs)
        )
    if check.status is CheckStatus.ACCEPTED:
        described = await _described(checker, job, answer, candidate, check)
        doubts = (*unmet(job.instruction, check, answer.code), *unchosen(job.instruction, described))
        checked = replace(checked, doubts=doubts)
        if doubts and doubting:
            feedback = render_prompt("doubt", doubts=doubts, told=_configurations(check), programs=_programs(described))
            return CheckFeedback(checked, feedback)
    return CheckFeedback(checked)


def _candidate(answer: ToolAnswer) -> Candidate:
    """Return the draft as the scorer would read it from a reply."""
    kind = kind_of(answer)
    try:
        candidate = extract(fenced(answer.code, kind))
    except Exception as error:  # a text that breaks the parser is no code
        return Candidate(answer.code, None, "answer", f"cannot be read: {type(error).__name__}")
    return candidate if candidate.kind else replace(candidate, code=answer.code)


async def _described(checker: Checker, job: Job, answer: ToolAnswer, candidate: Candidate, check: Check) -> Check:
    """Return the check with the programs' option schemas, if it is a shell command."""
    if candidate.kind != "shell":
        return check
    return await checker.describe(candidate, answer.folder, job.prefix)


def _programs(described: Check) -> list[ProgramOptions]:
    """Return the options of each program; only those of rejected programs if there are any."""
    refused = [each for each in described.invocations if each.status is CheckStatus.REJECTED]
    by_program = {each.program: each for each in refused or described.invocations if each.schema}
    return [ProgramOptions(program, _options(each)) for program, each in by_program.items()]


def _options(invocation: Invocation) -> list[str]:
    """Return one line per option: its strings, type or choices, default, help."""
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


def _configurations(check: Check) -> list[ProgramValues]:
    """Return the values that each program got explicitly."""
    return [
        ProgramValues(each.program or "the code", {name: each.configuration.get(name) for name in each.given})
        for each in check.invocations
    ]
