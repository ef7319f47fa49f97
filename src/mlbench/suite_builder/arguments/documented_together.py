"""Finds what the documented commands of one form set side by side: each scale with its own weights.

Most settings of such commands cannot vary alone. So a row asks for one of the commands: the fewest settings that tell
them apart become arguments, and the others follow.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mlbench.suite_builder.arguments.argument_kinds import SELDOM, is_never
from mlbench.suite_builder.arguments.argument_sources import ArgumentSource
from mlbench.suite_builder.arguments.candidate_values import listed
from mlbench.suite_builder.arguments.number_values import number_of
from mlbench.suite_builder.arguments.usages import is_loose, settings_of
from mlbench.suite_builder.mining.commands import started, words_of
from mlbench.suite_builder.types import CodeBlock, DraftArgument, DraftTask
from mlbench.suites.recipes import Words

MOST_TELLING = 3
"""At most so many settings with plain names are said, and at most so many others."""
_LONGEST = 80
_LONGEST_BY_MODEL = 150
"""Letters of a value in requests that a model writes: the names of checkpoints are long."""
_PLACE, _ADDRESS, _QUOTED, _SEVERAL = 5, 9, 2, 4
"""What it costs to say a path, an address, a setting whose name is no word, or a value of several words."""
_ADDRESSES = re.compile(r"^[a-z]+://")
_FILE = re.compile(r"/|\.[A-Za-z]\w{1,6}$")
_SEVERAL_RUNS = re.compile(r"[A-Za-z]\w*,\w|[*{}]")
"""A value that starts several runs: `optimizer=sgd,adam`."""
_CONTINUED = re.compile(r"\\[ \t]*\n\s*")
_Settings = Mapping[str, Words]


@dataclass(frozen=True)
class DocumentedTogether:
    """The settings in which the commands of a section differ.

    Attributes:
        arguments: those that tell the commands apart.
        followers: all others; each has the value of the task's own command.
        lines: the values of each command, by name.
    """

    arguments: tuple[DraftArgument, ...]
    followers: tuple[DraftArgument, ...]
    lines: tuple[dict[str, Words], ...]

    def completed(self, combination: Mapping[str, Words]) -> dict[str, Words] | None:
        """A combination of values with what follows them; None if no command has them."""
        names = [each.name for each in self.arguments]
        fits = (line for line in self.lines if all(line[name] == combination[name] for name in names))
        return next(({**line, **combination} for line in fits), None)

    def apart(self) -> list[dict[str, Words]]:
        """The combinations of the arguments' values that no command has."""
        names = [each.name for each in self.arguments]
        product = itertools.product(*(each.values.values() for each in self.arguments))
        rows = [dict(zip(names, values, strict=True)) for values in product]
        return [row for row in rows if self.completed(row) is None]


def varying(task: DraftTask, sources: Sequence[ArgumentSource]) -> tuple[list[ArgumentSource], list[list[Words]]]:
    """The settings in which the task's command and the others of its family differ, and their values by command.

    A command that differs in anything else is left out. The task's own comes first.

    Args:
        task: the task with its family.
        sources: the settings of its command.
    """
    spellings = next((each.wish.spellings for each in sources if each.wish.spellings), {})
    counts = {name: 0 if each.wish.switch else len(each.wish.original) for each in sources for name in _names(each)}
    own = _settings(task.code, spellings, counts)
    if own is None:
        return [], []
    held = {key: source for key, words in own.items() if (source := _source(key, words, sources))}
    commands = [own]
    for block in task.family:
        other = _settings(block.code, spellings, counts)
        if other is None or other.keys() != own.keys():
            continue
        differ = [key for key in own if other[key] != own[key]]
        several = any(_SEVERAL_RUNS.search(word) for key in differ for word in (*own[key], *other[key]))
        if not several and all(key in held and other[key] and own[key] for key in differ):
            commands.append(other)
    keys = [key for key in held if not _is_output(held[key]) and any(each[key] != own[key] for each in commands)]
    rows = [list(row) for row in dict.fromkeys(tuple(each[key] for key in keys) for each in commands)]
    return [held[key] for key in keys], rows


def _is_output(source: ArgumentSource) -> bool:
    return source.wish.kind is not None and source.wish.kind.path == "output"


def telling(found: Sequence[ArgumentSource], names: Sequence[str], rows: Sequence[Sequence[Words]]) -> tuple[int, ...]:
    """The positions of the settings that an instruction says; empty if they do not tell the commands apart.

    These are all with a plain name and a plain value, and as few others as are needed, those that are said best.

    Args:
        found: the settings in which the commands differ.
        names: what they are called; in quotes if it is no word.
        rows: their values by command.
    """
    costs = [
        _cost(source, name, [row[at] for row in rows])
        for at, (source, name) in enumerate(zip(found, names, strict=True))
    ]
    sayable = [at for at, cost in enumerate(costs) if cost is not None]
    free = [at for at in sayable if found[at].wish.is_free]  # numbers of steps tell nobody which network is meant
    bound = [at for at in sayable if at not in free]
    plain = [at for at in bound if costs[at] == 1][:MOST_TELLING]  # `--noise` beside `--data` is said too
    different = len({tuple(row[at] for at in range(len(found)) if at not in free) for row in rows})
    best: tuple[int, tuple[int, ...]] | None = None
    for size in range(MOST_TELLING + 1):
        for more in itertools.combinations([at for at in bound if at not in plain], size):
            some = (*plain, *more)
            if not some or len({tuple(row[at] for at in some) for row in rows}) < different:
                continue
            cost = sum(costs[at] or 0 for at in some)
            if best is None or cost < best[0]:
                best = cost, some
    chosen = tuple(sorted((*best[1], *free))) if best else ()
    return chosen if len({tuple(row[at] for at in chosen) for row in rows}) == len(rows) else ()


def sayable(found: Sequence[ArgumentSource], names: Sequence[str], rows: Sequence[Sequence[Words]]) -> tuple[int, ...]:
    """The positions of all settings that an instruction can say; empty if they do not tell the lines apart.

    Args:
        found: the settings.
        names: what they are called.
        rows: their values by line.
    """
    columns = [[row[at] for row in rows] for at in range(len(found))]
    costs = [_cost(source, names[at], columns[at], _LONGEST_BY_MODEL) for at, source in enumerate(found)]
    chosen = tuple(at for at, cost in enumerate(costs) if cost is not None)
    return chosen if len({tuple(row[at] for at in chosen) for row in rows}) == len(rows) else ()


def shortest(found: Sequence[ArgumentSource], names: Sequence[str], rows: Sequence[Sequence[Words]]) -> tuple[int, ...]:
    """The positions of the few settings that tell the lines apart; of all that can be said if these do not."""
    return telling(found, names, rows) or sayable(found, names, rows)


def is_plain(found: Sequence[ArgumentSource]) -> bool:
    """Whether the usual search finds the values: one setting alone differs, and it may vary."""
    return len(found) == 1 and found[0].rank > SELDOM


def is_of_interest(found: Sequence[ArgumentSource]) -> bool:
    """Whether the commands differ in more than seeds, epochs, outputs and devices."""
    return any(not is_loose(each.wish.name) for each in found)


def joined(
    arguments: Sequence[DraftArgument], followers: Sequence[DraftArgument], lines: Sequence[Mapping[str, Words]]
) -> DocumentedTogether:
    """The arguments with the values of all lines."""
    varied = []
    for each in arguments:
        values = dict.fromkeys(line[each.name] for line in lines)
        varied.append(replace(each, values={listed(words): words for words in values}, bound=False))
    return DocumentedTogether(tuple(varied), tuple(followers), tuple(dict(line) for line in lines))


def shared_block(task: DraftTask) -> CodeBlock:
    """The task's block with what is true of its whole family: no sentence above one command, no heading of one."""
    every = [task.block, *task.family]
    headings = task.block.headings
    while any(each.headings[: len(headings)] != headings for each in every):
        headings = headings[:-1]
    if headings != task.block.headings and len(headings) < 2:
        headings = ()  # the page's title says no more than the page
    lead = task.block.lead if all(each.lead == task.block.lead for each in every) else ""
    return replace(task.block, lead=lead, headings=headings)


def _cost(source: ArgumentSource, name: str, values: Sequence[Words], longest: int = _LONGEST) -> int | None:
    """How badly an instruction says a setting; None if it cannot."""
    texts = [" ".join(words) for words in values]
    if is_never(source.wish.name) or source.wish.switch or any(len(text) > longest for text in texts):
        return None
    if any(re.search(r"[\[\]{}()$`*|]", text) for text in texts):
        return None
    if not source.wish.options and not source.wish.kind and name.startswith('"'):
        return None  # a positional that nobody names
    if not source.wish.options and all(number_of(text) is not None for text in texts):
        return None  # `train 0` and `train 1`
    cost = 1 + _QUOTED * name.startswith('"') + _PLACE * is_loose(source.wish.name)
    cost += _SEVERAL * any(len(words) > 1 for words in values)
    if any(_ADDRESSES.search(text) for text in texts):
        return cost + _ADDRESS
    return cost + _PLACE * any(_FILE.search(text) for text in texts)


def _settings(code: str, spellings: Mapping[str, str], counts: Mapping[str, int]) -> dict[str, Words] | None:
    """The settings of a command's last line; positional words are told apart by their order.

    What stands before the program counts as a setting too.

    Args:
        code: the command.
        spellings: the destination of each option.
        counts: how many words each option takes; what follows them is positional.
    """
    line = _CONTINUED.sub(" ", code).strip().rpartition("\n")[2]
    found = started(words_of(line))
    if found is None:
        return None
    settings, free = {}, list[str]()
    for key, words in settings_of(found.argv, spellings).items():
        own = counts.get(key, len(words)) if key else 0
        free += words[own:]
        if key:
            settings[key] = words[:own]
    positional = {f"#{at}": (word,) for at, word in enumerate(free)}
    head = _CONTINUED.sub(" ", code).strip()
    return {**settings, **positional, "": (head[: head.rfind(found.name)],)}


def _source(key: str, words: Words, sources: Sequence[ArgumentSource]) -> ArgumentSource | None:
    """The setting of the command that a key means."""
    fits = [each for each in sources if each.spans and each.wish.original == words and not each.variable]
    if key.startswith("#"):
        fits = [each for each in fits if not each.wish.options]
        return fits[0] if len(fits) == 1 else None
    return next((each for each in fits if key in _names(each)), None)


def _names(source: ArgumentSource) -> Iterator[str]:
    yield source.place[1]
    yield source.wish.name
    yield from source.wish.options
