"""Which pieces of code are asked about, in which order, and what the interface check says of them.

A program that was not asked before costs up to a second, so that what differs is asked first, and what is like a piece
that was accepted is not asked at all.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mlbench.construction.mining import choosing, snippets
from mlbench.construction.mining.commands import started, words_of
from mlbench.construction.mining.placeholders import repaired
from mlbench.construction.parallel import each
from mlbench.construction.types import Block
from mlbench.invocations.check import Checker
from mlbench.invocations.shell_text import words
from mlbench.types import Candidate, Check, Kind, Status

AT_ONCE = 24
ROUNDS = 3
"""So many pieces of one form are asked, one after the other, until one is accepted."""
FEW = 2
"""A command with fewer options leaves less to vary."""
MOST_REPAIRS = 3
_SOMEWHERE_ELSE = words("no-such-file no-such-folder no-such-module no-such-program not-a-call-of-the-repository")


@dataclass(frozen=True)
class Wanted:
    """A piece of code to ask the check about.

    Attributes:
        folders: where it may run, in the order of asking.
        replaced: what stood in its gaps, with what stands there now.
        own: of Python, the first line that is the block's own; those before it come from blocks above.
    """

    block: Block
    kind: Kind
    code: str
    folders: tuple[str, ...]
    replaced: tuple[tuple[str, str], ...] = ()
    own: int = 1

    @property
    def subject(self) -> str:
        return subject_of(self.block)


@dataclass(frozen=True)
class Answer:
    """What the check says: in which folder, and of which code in the end (a filled gap may have another value)."""

    folder: str
    code: str
    check: Check


def subject_of(block: Block) -> str:
    first, last = block.lines
    return f"{block.page}:{first}" if first == last else f"{block.page}:{first}-{last}"


async def asked(wanted: Sequence[Wanted], checker: Checker, workers: int, most: int | None) -> dict[int, Answer]:
    """The answers by position in `wanted`, until so many forms as are wanted are accepted.

    What is asked depends on the answers, not on how fast they come.

    Raises:
        SandboxUnavailableError: this machine failed.
    """
    found: dict[int, Answer] = {}
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in sorted(range(len(wanted)), key=lambda at: -choosing.worth(wanted[at].block)):
        groups[form_of(wanted[at])].append(at)
    accepted: set[tuple[str, ...]] = set()
    for turn in range(ROUNDS):
        order = [group[turn] for form, group in groups.items() if form not in accepted and len(group) > turn]
        order = _most_different(order, wanted)
        for begin in range(0, len(order), AT_ONCE):
            if most is not None and len(accepted) >= most:
                return found
            some = order[begin : begin + AT_ONCE]
            found.update(await _answers(some, wanted, checker, workers))
            accepted |= {form_of(wanted[at]) for at in some if found[at].check.status is Status.ACCEPTED}
    return found


async def _answers(some: Sequence[int], wanted: Sequence[Wanted], checker: Checker, workers: int) -> dict[int, Answer]:
    found: dict[int, Answer] = {}

    async def ask(at: int) -> None:
        found[at] = await _settled(wanted[at], checker)

    await each(some, ask, workers)
    return found


async def _settled(want: Wanted, checker: Checker) -> Answer:
    """The first folder in which it is accepted; else the most telling refusal."""
    refused: Answer | None = None
    for folder in want.folders:
        answer = await _repaired(want, folder, checker)
        if answer.check.status is Status.ACCEPTED:
            return answer
        if refused is None or (refused.check.reason in _SOMEWHERE_ELSE and answer.check.reason not in _SOMEWHERE_ELSE):
            refused = answer
    assert refused is not None
    return refused


async def _repaired(want: Wanted, folder: str, checker: Checker) -> Answer:
    """The answer in one folder. Values that were filled in and are refused are tried once more, one after the other."""
    code = want.code
    check = await checker.check(Candidate(code, want.kind, "documentation"), folder)
    for _ in range(MOST_REPAIRS):
        if want.kind == "python":
            better = _shorter(code, want.own, check)
        else:
            better = repaired(code, want.replaced, check.reason, check.message) if want.replaced else None
        if better is None or better == code:
            break
        code = better
        check = await checker.check(Candidate(code, want.kind, "documentation"), folder)
    return Answer(folder, code, check)


_NEEDS = re.compile(r"line (\d+): .*(?:URLError|HTTPError|ConnectionError|FileNotFoundError|name resolution)")


def _shorter(code: str, own: int, check: Check) -> str | None:
    """The snippet up to where it needs the network or somebody's files; None where that leaves nothing of its own."""
    match = _NEEDS.match(check.message) if check.status is Status.REJECTED else None
    if match is None or int(match[1]) <= own:
        return None
    kept = snippets.up_to(code, int(match[1]))
    return None if snippets.only_shows("\n".join(kept.split("\n")[own - 1 :])) else kept


def _most_different(order: Sequence[int], wanted: Sequence[Wanted]) -> list[int]:
    """With options before without, each program's first before any program's second; else as the pages have it."""
    seen: Counter[tuple[str, ...]] = Counter()
    ranks: list[tuple[bool, int, int]] = []
    for at in sorted(order):
        want = wanted[at]
        program = form_of(want)[:2]
        few = want.kind == "shell" and len(_SETTING.findall(want.code)) < FEW
        ranks.append((few, seen[program], at))
        seen[program] += 1
    return [at for *_, at in sorted(ranks)]


_SETTING = re.compile(r"(?:^|\s)-{1,2}[A-Za-z]|\s\w[\w.]*=")


@lru_cache(maxsize=10_000)
def form_of(want: Wanted) -> tuple[str, ...]:
    """What can be told of a task's form before anything is asked: program, options, modes; or imports and calls."""
    if want.kind == "python":
        return ("python", " ".join(sorted(snippets.imported(want.code))), *sorted(snippets.called(want.block.code)))
    text = _last_command(want.code)
    found = started(words_of(text))
    argv = found.argv if found else words_of(text)
    options = sorted(word.partition("=")[0] for word in argv if word.startswith("-"))
    modes = [word for at, word in enumerate(argv) if choosing.MODES.search(argv[at - 1].lstrip("-") if at else "")]
    modes += [word for word in argv if "=" in word and choosing.MODES.search(word.partition("=")[0].lstrip("-"))]
    first = [word for word in argv[:1] if not word.startswith("-")]
    return (want.folders[0], found.name if found else text, *options, *modes, *first)


def _last_command(code: str) -> str:
    """The last line with those that lead into it."""
    lines = code.split("\n")
    at = len(lines) - 1
    while at > 0 and lines[at - 1].endswith("\\"):
        at -= 1
    return "\n".join(lines[at:])
