"""What became of each documented command: a task, or a line that says why it was left out.

Every piece of code in the pages has one decision of the step `tasks`. Later steps may still drop its task.

The share of tasks is one of *runnable documented commands*. A piece of code is one if all of this holds:

- It starts a program or console script of the repository at this commit, or calls its modules. So installations,
  downloads, `cd`, servers and tests of others, calls for help and printed output are none.
- It is complete. Places of the reader's own files may be open (`/path/to/data`). Numbers, addresses and names may not
  (`gpu_num`, `...`), unless the pages give the same option a value.
- The program's own parser accepts its options and values at this commit.
- It stands there for the first time. The same command on another page does not count again.
- With a model: it has not found in the code why the command fails at this commit, whatever its values (`fails`). These
  are counted beside the share. Others of their form are left out: they may have other values.
- `--tasks` has a place for it. What it has none for is counted beside the share as well (`enough`).

A command counts as covered if a task has its form: the same program with the same options and modes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.shell.shell_static import words
from mlbench.suite_builder.mining.commands import argv_of
from mlbench.suite_builder.types import BuildDecision, Step

NOT_RUNNABLE = words(
    "installs downloads housekeeping container serves tests cluster no-command other-language not-of-the-repository"
    " deprecated only-shows help fragment gap not-a-call-of-the-repository no-such-program not-executable"
    " no-such-configuration pasted-characters placeholder same-code unknown-argument invalid-choice invalid-type"
    " missing-argument conflicting-arguments ambiguous-argument wrong-number-of-values not-as-in-usage fails enough"
)
"""Reasons for which code is no runnable command, or counts elsewhere."""
_BESIDE = {"fails": "fail at this commit, as the model found", "enough": "were left, as so many tasks were wanted"}
_LONGEST = 160
_LATER: tuple[Step, ...] = ("arguments", "instructions", "quality")


@dataclass(frozen=True)
class DocumentedCommand:
    """A piece of code in a page, and what became of it.

    Attributes:
        where: the page and the lines: `README.md:12-15`.
        kind: `shell` or `python`; empty for another language.
        task: the task that has it, or that has its form; empty if there is none.
        reason: why it has no task of its own; empty if it has one.
    """

    where: str
    code: str
    kind: str
    task: str
    reason: str
    why: str

    @property
    def runnable(self) -> bool:
        return self.reason not in NOT_RUNNABLE


def documented(decisions: Mapping[Step, Sequence[BuildDecision]]) -> list[DocumentedCommand]:
    """Every piece of code with its outcome, in the order of the pages."""
    found = [each for each in decisions.get("tasks", ()) if each.code]
    dropped: dict[str, BuildDecision] = {}
    for step in reversed(_LATER):  # the first step that drops a task counts
        last = {each.subject: each for each in decisions.get(step, ()) if each.step == step}  # no excluded combination
        dropped |= {subject: each for subject, each in last.items() if not each.kept}
    by_subject: dict[str, list[BuildDecision]] = defaultdict(list)
    for each in found:
        by_subject[each.subject].append(each)
    return [_outcome(each, by_subject, dropped) for each in sorted(found, key=_place)]


def _outcome(
    decision: BuildDecision, by_subject: Mapping[str, Sequence[BuildDecision]], dropped: Mapping[str, BuildDecision]
) -> DocumentedCommand:
    last, seen = decision, {decision.subject}
    while last.like and last.like not in seen:
        seen.add(last.like)
        last = max(by_subject.get(last.like) or [last], key=lambda each: each.kept)
    later = dropped.get(last.why) if last.kept else last
    task = last.why if last.kept and later is None else ""
    if decision.kept:
        reason, why = (later.reason, later.why) if later else ("", "")
    else:
        # it cannot be run, nor can what it is like; but what fails may do so by a value that the other one has not
        is_unclear = later is not None and later.reason in NOT_RUNNABLE and later.reason != "fails"
        reason = later.reason if later is not None and is_unclear else decision.reason
        why = decision.why if task or later is None or later is decision else f"{decision.why}: {later.why}"
    return DocumentedCommand(decision.subject, decision.code, decision.kind, task, reason, why)


def _place(decision: BuildDecision) -> tuple[str, int]:
    page, _, lines = decision.subject.rpartition(":")
    return page, int(lines.partition("-")[0]) if lines[:1].isdigit() else 0


def covered(commands: Iterable[DocumentedCommand], kind: str = "") -> tuple[int, int]:
    """The number of runnable pieces that are tasks or have the form of one, and of all runnable ones."""
    runnable = [each for each in commands if each.runnable and kind in ("", each.kind)]
    return sum(bool(each.task) for each in runnable), len(runnable)


def summary(commands: Sequence[DocumentedCommand]) -> str:
    """`12 of 15 documented commands and 3 of 9 snippets of Python are covered by tasks`."""
    (shell, of_shell), (python, of_python) = covered(commands, "shell"), covered(commands, "python")
    return (
        f"{shell} of {of_shell} documented commands and {python} of {of_python} snippets of Python are covered by tasks"
    )


def write_left_out(folder: Path, found: Mapping[str, Sequence[DocumentedCommand]]) -> None:
    """Write `steps/left_out.md`: for each repository, tables that hold every documented command once.

    Args:
        folder: the suite's folder.
        found: by the title of each repository, its documented commands.
    """
    lines = [line for title, commands in found.items() for line in _tables(title, commands)]
    (folder / "steps").mkdir(parents=True, exist_ok=True)
    (folder / "steps" / "left_out.md").write_text("\n".join(lines), encoding="utf-8")


def _tables(title: str, commands: Sequence[DocumentedCommand]) -> Iterator[str]:
    tasks = [each for each in commands if each.task]
    left = [each for each in commands if not each.task and each.runnable]
    others = [each for each in commands if not each.task and not each.runnable]
    yield f"# Documented commands of {_cell(title)}\n"
    yield f"{summary(commands)}: each is a task, or has the form of one."
    yield f"{len(left)} pieces of code are left out. {len(others)} others are no runnable commands, or repeat one.\n"
    if bare := sum(each.kind == "shell" and not argv_of(each.code) for each in left):
        yield f"Of what is left out, {bare} are commands without arguments.\n"
    for reason, what in _BESIDE.items():
        if count := sum(each.reason == reason for each in others):
            yield f"Of these, {count} {what}.\n"
    for heading, some, last in (
        ("Tasks", tasks, "task"),
        ("Left out, because", left, "because"),
        ("Not counted, because", others, "because"),
    ):
        yield f"## {heading}\n\n| page and line | command | {last} |\n|---|---|---|"
        yield from (f"| {_cell(each.where)} | {_code(each.code)} | {_last(each)} |" for each in some)
        yield ""


def _last(command: DocumentedCommand) -> str:
    if command.task:
        return _cell(command.task) + (f" ({command.reason})" if command.reason else "")
    return f"{_cell(command.why)} ({_cell(command.reason)})" if command.why else _cell(command.reason)


def _code(text: str) -> str:
    text = _cell(text.replace("\\\n", " "))
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _cell(text: str) -> str:
    """Text in one line of a table. A page's own characters cannot end the cell or the line."""
    text = re.sub(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+", " ", text).strip()
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return text.replace("|", "\\|").encode("utf-8", "backslashreplace").decode()
