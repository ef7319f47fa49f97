"""Decides which pieces of code are checked, in which order, and collects the checks.

The first check of a program takes up to a second. So pieces that differ come first, and a piece like an accepted one is
not checked.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, Kind
from mlbench.shell.shell_static import words
from mlbench.suite_builder.mining import snippets, task_selection
from mlbench.suite_builder.mining.commands import argv_of, last_command, started, words_of
from mlbench.suite_builder.mining.missing_files import missing_file
from mlbench.suite_builder.mining.placeholders import repaired
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.priorities import NO_PRIORITIES, Priorities
from mlbench.suite_builder.types import CodeBlock

AT_ONCE = 24
ROUNDS = 3
"""At most this many pieces of one form are checked until one is accepted."""
SPARES = 2
"""So many further commands of an accepted form are checked."""
FEW = 2
"""A command with fewer options leaves less to vary."""
MOST_REPAIRS = 3
_NOT_STARTED = re.compile(r"^(\S+): (?:command not found|permission denied, the file is not executable)")
_SOMEWHERE_ELSE = words("no-such-file no-such-folder no-such-module no-such-program not-a-call-of-the-repository")


@dataclass(frozen=True)
class CheckRequest:
    """A piece of code to check.

    Attributes:
        folders: where it may run, in the order of checking.
        replaced: by the value in a filled placeholder, the text that stood there.
        attested: how many placeholders have the value of another command of the program.
        search_path: the page's assignment to `PYTHONPATH`, which is tried where a module is missing; may be empty.
    """

    block: CodeBlock
    kind: Kind
    code: str
    folders: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()
    attested: int = 0
    search_path: str = ""

    @property
    def subject(self) -> str:
        return subject_of(self.block)


@dataclass(frozen=True)
class SnippetCheck:
    """The check of a piece: its folder, and its code with the final values."""

    folder: str
    code: str
    check: Check


def subject_of(block: CodeBlock) -> str:
    first, last = block.lines
    return f"{block.page}:{first}" if first == last else f"{block.page}:{first}-{last}"


async def asked(
    wanted: Sequence[CheckRequest],
    checker: Checker,
    workers: int,
    most: int | None,
    show: Callable[[int, int], None] = lambda done, of: None,
    first: Priorities = NO_PRIORITIES,
) -> dict[int, SnippetCheck]:
    """The checks by position in `wanted`, until enough forms are accepted.

    The selection depends on the results, not on their timing.

    Args:
        wanted: the pieces of code.
        checker: of their repository.
        workers: checks in parallel.
        most: the number of forms to accept.
        show: called with the number of checked pieces, and of all that may be checked.
        first: what a person wants first.

    Raises:
        SandboxUnavailableError: this machine failed.
    """
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in sorted(range(len(wanted)), key=lambda at: _rank(wanted[at])):
        groups[form_of(wanted[at])].append(at)
    found = await _until_enough(groups, wanted, checker, workers, most, show, first)
    return found | await _answers(_spares(groups.values(), wanted, found), wanted, checker, workers)


async def _until_enough(
    groups: Mapping[tuple[str, ...], Sequence[int]],
    wanted: Sequence[CheckRequest],
    checker: Checker,
    workers: int,
    most: int | None,
    show: Callable[[int, int], None],
    first: Priorities,
) -> dict[int, SnippetCheck]:
    """The checks of the first pieces of each form, until enough forms are accepted."""
    found: dict[int, SnippetCheck] = {}
    accepted: set[tuple[str, ...]] = set()
    for turn in range(ROUNDS):
        order = [group[turn] for form, group in groups.items() if form not in accepted and len(group) > turn]
        order = sorted(_most_different(order, wanted), key=lambda at: first.rank(wanted[at].code))  # stable
        for begin in range(0, len(order), AT_ONCE):
            if most is not None and len(accepted) >= most:
                return found
            some = order[begin : begin + AT_ONCE]
            found.update(await _answers(some, wanted, checker, workers))
            show(len(found), len(found) + len(order) - begin - len(some))
            accepted |= {form_of(wanted[at]) for at in some if found[at].check.status is CheckStatus.ACCEPTED}
    return found


def _spares(
    groups: Iterable[Sequence[int]], wanted: Sequence[CheckRequest], found: Mapping[int, SnippetCheck]
) -> list[int]:
    """Of each accepted form of command, further ones of other sections, if an instruction cannot say the first."""
    spares: list[int] = []
    for group in groups:
        places = {_place(wanted[at]) for at in group if at in found and found[at].check.status is CheckStatus.ACCEPTED}
        for at in group if places else ():
            is_new = at not in found and _place(wanted[at]) not in places
            if is_new and wanted[at].kind == "shell" and len(places) <= SPARES:
                spares.append(at)
                places.add(_place(wanted[at]))
    return spares


def _place(want: CheckRequest) -> tuple[str, tuple[str, ...]]:
    return want.block.page, want.block.headings


def _rank(want: CheckRequest) -> tuple[bool, bool, int, int]:
    """Of pieces of one form, those that stand alone first, then those that give more than a subcommand.

    Then those with few placeholders, then those with prose.
    """
    is_bare = want.kind == "shell" and len(argv_of(want.code)) < 2  # `tool build`: all has its default
    return " | " in want.code, is_bare, len(want.replaced) + want.attested, -task_selection.worth(want.block)


async def _answers(
    some: Sequence[int], wanted: Sequence[CheckRequest], checker: Checker, workers: int
) -> dict[int, SnippetCheck]:
    found: dict[int, SnippetCheck] = {}

    async def ask(at: int) -> None:
        found[at] = await _settled(wanted[at], checker)

    await each(some, ask, workers)
    return found


async def _settled(want: CheckRequest, checker: Checker) -> SnippetCheck:
    """The check in the first folder that accepts it; else the most informative refusal."""
    refused: SnippetCheck | None = None
    for folder in want.folders:
        answer = _with_its_files(want, await _repaired(want, folder, checker), checker)
        if answer.check.status is CheckStatus.ACCEPTED:
            return answer
        if refused is None or (refused.check.reason in _SOMEWHERE_ELSE and answer.check.reason not in _SOMEWHERE_ELSE):
            refused = answer
    assert refused is not None
    return refused


def _with_its_files(want: CheckRequest, answer: SnippetCheck, checker: Checker) -> SnippetCheck:
    """The check, refused if the command names a file of settings that the repository lacks."""
    if want.kind != "shell" or answer.check.status is not CheckStatus.ACCEPTED:
        return answer
    place = checker.subject.place.repository / answer.folder
    filled_in = [value.strip("'\"") for _, value in want.replaced]
    file = missing_file(words_of(last_command(answer.code).replace("\\\n", " ")), place, filled_in)
    if not file:
        return answer
    check = replace(
        answer.check, status=CheckStatus.REJECTED, reason=Reason.NO_SUCH_FILE, message=f"there is no {file}"
    )
    return replace(answer, check=check)


async def _repaired(want: CheckRequest, folder: str, checker: Checker) -> SnippetCheck:
    """The check in one folder; refused values of placeholders are replaced once, one by one."""
    code = want.code
    check = await checker.check(Candidate(code, want.kind, "documentation"), folder)
    for _ in range(MOST_REPAIRS):
        better = repaired(code, want.replaced, check.reason, check.message) if want.replaced else None
        if better is None or better == code:
            break
        code = better
        check = await checker.check(Candidate(code, want.kind, "documentation"), folder)
    if want.kind == "shell" and check.status is not CheckStatus.ACCEPTED:
        other = _by_interpreter(code, check.message, checker.subject.place.repository / folder)
        if check.reason == Reason.NO_SUCH_MODULE and want.search_path:
            other = f"{want.search_path}\n{code}"
        mended = await checker.check(Candidate(other, want.kind, "documentation"), folder) if other else check
        if mended.status is CheckStatus.ACCEPTED:
            return SnippetCheck(folder, other, mended)
    return SnippetCheck(folder, code, check)


def _by_interpreter(code: str, message: str, folder: Path) -> str:
    """The command with `bash` or `python` before a script that bash cannot start by its name alone; else empty.

    Pages write `train.sh CONFIG` for `bash train.sh CONFIG`, and commits lose the right to execute a file.
    """
    found = _NOT_STARTED.search(message)
    name = found[1] if found else ""
    if not name.endswith((".sh", ".py")) or not (folder / name).is_file():
        return ""
    command = last_command(code)
    if name.endswith(".py") and len(words_of(command)) < FEW:
        return ""  # the name of a file, not a command
    interpreter = "bash" if name.endswith(".sh") else "python"
    begin = code.removesuffix(command)
    at = re.search(rf"(?<!\S){re.escape(name)}(?!\S)", command)
    return f"{begin}{command[: at.start()]}{interpreter} {command[at.start() :]}" if at else ""


def _most_different(order: Sequence[int], wanted: Sequence[CheckRequest]) -> list[int]:
    """Pieces with options first, and each program's first piece before any second one."""
    seen: Counter[tuple[str, ...]] = Counter()
    ranks: list[tuple[bool, int, int]] = []
    for at in sorted(order):
        want = wanted[at]
        program = form_of(want)[:2]
        few = want.kind == "shell" and len(_SETTING.findall(want.code)) < FEW
        ranks.append((few, seen[program], at))
        seen[program] += 1
    return [at for *_, at in sorted(ranks)]


_OVERRIDE = re.compile(r"[+~]{0,2}[A-Za-z_][\w./@-]*=")
"""A setting without a dash, as Hydra has them: `trainer.max_epochs=5`, `+model=small`."""
_SETTING = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|\s\w[\w.]*=")


@lru_cache(maxsize=10_000)
def form_of(want: CheckRequest) -> tuple[str, ...]:
    """A task's form as far as the code tells: program, options, modes; or imports and calls."""
    if want.kind == "python":
        return ("python", " ".join(sorted(snippets.imported(want.code))), *sorted(snippets.called(want.block.code)))
    text = last_command(want.code)
    found, argv = started(words_of(text)), argv_of(want.code)
    options = sorted(word.partition("=")[0] for word in argv if word.startswith("-") or _OVERRIDE.match(word))
    modes = [
        word for at, word in enumerate(argv) if task_selection.MODES.search(argv[at - 1].lstrip("-") if at else "")
    ]
    modes += [word for word in argv if "=" in word and task_selection.MODES.search(word.partition("=")[0].lstrip("-"))]
    first = [word for word in argv[:1] if not word.startswith("-") and not _OVERRIDE.match(word)]
    return (want.folders[0], found.name if found else text, *options, *modes, *first)
