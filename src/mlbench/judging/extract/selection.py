"""Choose the blocks that are the answer.

Blocks that are introduced as wrong never count. The first complete answer counts, or a later one that the reply
introduces as its correction; steps in the same language stay together in order. A file that the reply saves and then
starts is the answer itself. Asides (alternatives, output, looks, installations) count only if nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from mlbench.judging.extract.blocks import DATA_LABELS, MOST_BLOCKS, OUTPUT_LABELS, ReplyBlock
from mlbench.judging.extract.introductions import Stance
from mlbench.judging.extract.items import ReplyItem, read
from mlbench.judging.extract.roles import BlockRole, commands_of, identity, role_of, start_of
from mlbench.judging.extract.saved import composed, mentions, same_file
from mlbench.records import Candidate, Kind
from mlbench.shell.languages import LONGEST, language_of, look_of

_SHOWN = 40
_LEVELS: tuple[Callable[[ReplyItem], bool], ...] = (
    lambda item: item.role is BlockRole.PROGRAM and not item.is_cut and not item.is_aside,
    lambda item: item.role in (BlockRole.PROGRAM, BlockRole.INCOMPLETE) and not item.is_aside,
    lambda item: item.role in (BlockRole.PROGRAM, BlockRole.INCOMPLETE),
    lambda item: item.role is BlockRole.STATE,
    lambda item: item.role is BlockRole.LOOK,
    lambda item: item.role is BlockRole.INSTALL,
    lambda item: item.role is BlockRole.NOTHING and item.stance is not Stance.OUTPUT,
)
PROGRAMS = 2
"""Up to this level, a choice starts or does something and is no aside."""


@dataclass(frozen=True)
class BlockChoice:
    """The candidate of some blocks, and its level: 0 for a complete answer."""

    candidate: Candidate
    level: int


def choose(blocks: Sequence[ReplyBlock]) -> BlockChoice:
    """Choose the candidate among a reply's blocks; its code is empty if none holds any."""
    looked_at = _within_bounds(blocks)
    if blocks and not looked_at:
        fault = f"longer than {LONGEST} characters"
        return BlockChoice(Candidate(blocks[0].code[: 2 * LONGEST], None, blocks[0].origin, fault), 0)
    items = read(looked_at)
    why = {item.at: reason for item in items if (reason := _refusal(item))}
    possible = [item for item in items if item.at not in why]
    level, eligible = next(
        (
            (n, matching)
            for n, is_of_level in enumerate(_LEVELS)
            if (matching := [item for item in possible if is_of_level(item)])
        ),
        (len(_LEVELS), []),
    )
    taken = _steps(eligible, why)
    saved = _saved(items, eligible, taken) if level < PROGRAMS else None
    if saved:
        taken, candidate = saved
    else:
        taken = _with_preparation(taken, possible)
        candidate = _joined(taken)
    if not taken and any(item.stance is Stance.WRONG and item.role is BlockRole.PROGRAM for item in items):
        candidate = replace(candidate, fault="the reply holds no code but what it introduces as wrong")
    not_taken = [_told(item, why.get(item.at) or _reason(item)) for item in items if item not in taken][:_SHOWN]
    if len(looked_at) < len(blocks):
        not_taken.append(f"{len(blocks) - len(looked_at)} more: beyond {MOST_BLOCKS} blocks or {LONGEST} characters")
    return BlockChoice(replace(candidate, source=_source(blocks, taken), left=tuple(not_taken)), level)


def _within_bounds(blocks: Sequence[ReplyBlock]) -> list[ReplyBlock]:
    kept, size = [], 0
    for block in blocks[:MOST_BLOCKS]:
        size += len(block.code)
        if size > LONGEST:
            break
        kept.append(block)
    return kept


def _refusal(item: ReplyItem) -> str:
    """Why a block cannot be an answer; empty if it can."""
    if item.stance is Stance.WRONG:
        return Stance.WRONG.value
    label = item.blocks[0].label
    if label in DATA_LABELS or label in OUTPUT_LABELS:
        return label
    return (
        ""
        if (item.code.strip() and item.role is not BlockRole.NOTHING) or _may_be_code(item)
        else BlockRole.NOTHING.value
    )


def _may_be_code(item: ReplyItem) -> bool:
    """Whether a block may be broken code or an unusual command; a comment is no code."""
    lines = [line.strip() for line in item.code.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return any(item.sure or " " in line for line in lines)


def _steps(eligible: Sequence[ReplyItem], why: dict[int, str]) -> list[ReplyItem]:
    """The first answer and its further steps, in one language; a correction starts anew."""
    taken: list[ReplyItem] = []
    for at, item in enumerate(eligible):
        restarts = item.stance is Stance.CORRECTION and not (item.is_final and eligible[at - 1].is_final)
        if not taken:
            taken = [item]
        elif any(item.code == earlier.code for earlier in taken):
            why[item.at] = "the same again"
        elif restarts or (item.kind == taken[0].kind and all(earlier.lines < item.lines for earlier in taken)):
            why.update({earlier.at: "replaced by a later block" for earlier in taken})
            taken = [item]
        elif item.kind != taken[0].kind:
            why[item.at] = "in another language"
        elif item.is_cut:
            why[item.at] = "cut at the end of the reply"
        elif item.stance is not Stance.ALTERNATIVE and (
            item.stance is Stance.STEP or (item.kind == "shell" and not _programs(taken) & _programs([item]))
        ):
            taken.append(item)
        else:
            why[item.at] = "another answer"
    return taken


def _programs(items: Iterable[ReplyItem]) -> set[str]:
    return {identity(command) for item in items for command in commands_of(item.code)}


def _with_preparation(taken: Sequence[ReplyItem], possible: Sequence[ReplyItem]) -> list[ReplyItem]:
    """Add the preparation in the same language before the last step: `cd`, `export`, variables."""
    if not taken or taken[0].role not in (BlockRole.PROGRAM, BlockRole.INCOMPLETE):
        return list(taken)
    states = [
        item
        for item in possible
        if item.role is BlockRole.STATE
        and item.kind == taken[0].kind
        and not item.is_aside
        and item.at < taken[-1].at
        and not any(item.lines <= step.lines for step in taken)
    ]
    return sorted([*states, *taken], key=lambda item: item.at)


def _saved(
    items: Sequence[ReplyItem], eligible: Sequence[ReplyItem], taken: Sequence[ReplyItem]
) -> tuple[list[ReplyItem], Candidate] | None:
    """The saved file that a command starts, or the unnamed program above the command."""
    for start in eligible:
        files = _started(items, start) if start.kind == "shell" else {}
        if not files and start.kind == "shell" and start in taken:
            files = _used(items, [start])
        used = [item for group in files.values() for item in group]
        if not files or not (start in taken or any(item in taken for item in used)):
            continue
        files |= {name: group for name, group in _used(items, [start, *used]).items() if name not in files}
        used = [item for group in files.values() for item in group]
        steps = [item for item in taken if item.kind == "shell" and item not in used]
        steps = steps if start in steps else [start]
        selected = sorted([*used, *steps], key=lambda item: item.at)
        bare = _only_start(start)
        name, group = next(iter(files.items()))
        if len(files) == 1 and len(steps) == 1 and bare and not group[0].fault and group[0].kind:
            return selected, replace(_joined(group), file=name)
        commands = "\n".join(item.code for item in steps)
        return selected, _candidate(
            composed({name: "\n".join(i.code for i in group) for name, group in files.items()}, commands), "shell"
        )
    return None


def _started(items: Sequence[ReplyItem], start: ReplyItem) -> dict[str, list[ReplyItem]]:
    """The saved files that some commands start; the last one of a name counts."""
    starts = [start_command for command in commands_of(start.code) if (start_command := start_of(command))]
    named = {
        item.name: [item]
        for item in items
        if item is not start and item.name and item.stance is not Stance.WRONG
        if any(same_file(command_start.file, item.name) for command_start in starts)
    }
    if named or not _only_start(start):
        return named
    above = [item for item in items if item.at < start.at and not item.name and not item.is_aside]
    programs = _steps(
        [
            item
            for item in above
            if item.kind == "python"
            and item.role in (BlockRole.PROGRAM, BlockRole.INCOMPLETE)
            and item.stance is not Stance.WRONG
        ],
        {},
    )
    return {starts[0].file: programs} if programs and starts[0].file.endswith(".py") else {}


def _used(items: Sequence[ReplyItem], users: Sequence[ReplyItem]) -> dict[str, list[ReplyItem]]:
    """The saved files that some code names or imports."""
    return {
        item.name: [item]
        for item in items
        if item.name and item not in users and item.stance is not Stance.WRONG
        if any(mentions(user.code, item.name) for user in users)
    }


def _only_start(item: ReplyItem) -> bool:
    """Whether a script only starts one file without arguments, after preparing for it."""
    programs = [
        command for command in commands_of(item.code) if role_of(" ".join(command.words), "shell") is BlockRole.PROGRAM
    ]
    started = [start_of(command) for command in programs]
    return len(started) == 1 and started[0] is not None and started[0].bare


def _joined(taken: Sequence[ReplyItem]) -> Candidate:
    if not taken:
        return Candidate("", None, "none", "the reply holds no code")
    candidate = _candidate("\n".join(item.code for item in taken), taken[0].kind)
    return replace(candidate, cut=taken[-1].is_cut) if candidate.kind is None else candidate


def _candidate(code: str, label: Kind | None) -> Candidate:
    language = language_of(code, label)
    meant = None if language.kind else look_of(code) or label
    return Candidate(code, language.kind, "", language.fault, meant=meant)


def _reason(item: ReplyItem) -> str:
    if item.is_aside:
        return item.stance.value
    if item.is_cut:
        return "cut at the end of the reply"
    return "another answer" if item.role is BlockRole.PROGRAM else item.role.value


def _told(item: ReplyItem, why: str) -> str:
    """One line on a block that was left: `bash: 'pip install lichen': installation only`."""
    block = item.blocks[0]
    first = next((line.strip() for line in block.code.split("\n") if line.strip()), "")
    return f"{block.label or block.origin}: {first[:80]!r}: {why}"


def _source(blocks: Sequence[ReplyBlock], taken: Sequence[ReplyItem]) -> str:
    if not taken:
        return "none"
    origins = {block.origin for block in blocks}
    if len(blocks) == 1:
        return origins.pop()
    count = sum(len(item.blocks) for item in taken)
    return f"{count} of {len(blocks)} {origins.pop() + 's' if len(origins) == 1 else 'blocks'}"
