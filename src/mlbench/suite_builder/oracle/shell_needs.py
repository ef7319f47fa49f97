"""The needs of a shell reference, from its words and the options of its programs."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mlbench.judging.free_settings import is_free, is_output
from mlbench.records import Check, Invocation
from mlbench.shell.shell_tokens import shell_words
from mlbench.shell.tokenized_text import TokenizedText
from mlbench.suite_builder.arguments.value_spans import lists_of_settings
from mlbench.suite_builder.mining.task_selection import MODES
from mlbench.suite_builder.oracle.needs import NUMBER, OPTION, Need, NeedKind, aliases, argument_of, marked, values_of
from mlbench.suites.recipes import Recipe


def shell_needs(recipe: Recipe, check: Check) -> Iterator[Need]:
    """The program, options and values of a shell reference.

    An option with a fixed value is not needed if it may be left out: the value is the default, or the setting is free.

    Args:
        recipe: the recipe.
        check: the interface check of one of its references, with the programs' options.
    """
    read = shell_words(marked(recipe))
    words = read.words
    known = aliases(check)
    at = _program(words, check)
    if at is not None:
        yield from values_of(recipe, words[at]) if "\ue000" in words[at] else _program_needs(words[at])
    later = Counter(words)  # a path that stands twice is written by one program and read by the next
    option, fixed_values = "", list[str]()
    switches = {
        each
        for found in check.invocations
        for one in found.schema
        if one.switch
        for each in found.options.get(one.place, ())
    }
    for word in _paired(_parted(read, 0 if at is None else at + 1), check):
        if OPTION.match(word) or word in ("", "--"):
            yield from _option_needs(recipe, check, known, option, fixed_values)
            option, _, value = word.partition("=")
            fixed_values = [value] if value else []
            if word in switches:  # what follows is no value of it
                yield from _option_needs(recipe, check, known, option, [])
                option = ""
        elif "/" not in word or later[word] == 1:
            fixed_values.append(word)
    yield from _positional_needs(check)


def _parted(read: TokenizedText, first: int) -> list[str]:
    """The words from a position on, with an empty one behind each command: in `N=16 run --n`, 16 is not of `--n`."""
    words, ends = list[str](), {*read.starts, len(read.words)}
    for at in range(first, len(read.words)):
        words += [read.words[at], ""] if at + 1 in ends else [read.words[at]]
    return words


def _paired(words: Sequence[str], check: Check) -> Iterator[str]:
    """The words, with `LR=0.1` for `LR 0.1` in a list of settings."""
    keys = {key for each in check.invocations for name in _lists(each) for key in _keys(each, name)}
    left = list(words)
    while left:
        word = left.pop(0)
        yield f"{word}={left.pop(0)}" if word in keys and left else word


def _lists(invocation: Invocation) -> list[str]:
    return lists_of_settings(invocation.configuration, invocation.given)


def _keys(invocation: Invocation, name: str) -> Iterator[str]:
    """The settings in a list."""
    start = f"{name}:"
    return (key.removeprefix(start) for key in invocation.configuration if key.startswith(start))


def _positional_needs(check: Check) -> Iterator[Need]:
    """The positional arguments that a reference gives its programs; a subcommand is a needed word itself."""
    for each in check.invocations:
        for place, strings in each.options.items():
            is_named = place in each.given and place.isidentifier() and not MODES.search(place)
            is_named = is_named and place not in _lists(each)
            if each.how != "code" and not strings and is_named:
                yield Need(NeedKind.POSITIONS, place, (place,), posixpath.basename(each.program))


def _program(words: list[str], check: Check) -> int | None:
    """The position of the program: of a name or path that the check found started."""
    names = set()
    for each in check.invocations:
        module = each.program.removesuffix("/__main__.py").removesuffix(".py").replace("/", ".")
        names |= {posixpath.basename(each.program), *(module.split(".", n)[-1] for n in range(module.count(".") + 1))}
    for at, word in enumerate(words):
        if posixpath.basename(word) in names and not OPTION.match(word):
            return at
    scripts = [at for at, word in enumerate(words) if word.endswith((".sh", ".py"))]
    return scripts[0] if scripts else None


def _program_needs(word: str) -> Iterator[Need]:
    name = posixpath.basename(word)
    yield Need(NeedKind.PROGRAM, word, (name,))


def _option_needs(
    recipe: Recipe, check: Check, known: dict[str, tuple[str, ...]], option: str, values: list[str]
) -> Iterator[Need]:
    """The needs of one option with its values; of positional words if `option` is empty."""
    if option and not any(argument_of(value) or "\ue000" in value for value in values):
        destination, default = _default(check, option)
        if (values and [str(default)] == values) or _is_free(recipe, destination or option):
            return
    if option:
        fires = any(each.parser == "fire" for each in check.invocations)
        spellings = known.get(option, (option,))
        if fires:
            spellings = (*spellings, *(f"--{each[2:].replace('_', '-')}" for each in spellings if each[:2] == "--"))
        yield Need(NeedKind.OPTION, option, spellings, is_parameter=fires)
    if option and len(values) > 1 and all(NUMBER.fullmatch(value) for value in values):
        whole = " ".join([option, *values])  # `--sizes 32 24 16`: the page shows the numbers in this order
        yield Need(NeedKind.VALUE, whole, (whole, whole.replace(" ", "=", 1)))
        return
    before = option  # a number behind another value of the option is shown behind that: `--mixer data/sft 1.0`
    for value in values:
        key, sign, rest = value.partition("=")
        if sign and key.replace(".", "").replace("_", "").replace("+", "").isalnum():
            if "\ue000" not in rest and _is_free(recipe, key):
                continue
            yield Need(NeedKind.OPTION, key, (key,))
            option, value, before = key, rest, key
        for need in values_of(recipe, value) if value else ():
            if need.kind is NeedKind.VALUE and _is_output(check, option, value):
                continue
            if before and NUMBER.fullmatch(need.word):  # a number alone stands anywhere
                pair = f"{before} {need.word}"
                name = option.lstrip("-").rpartition(".")[2]
                yield Need(need.kind, pair, (pair, f"{option}={need.word}", f"{name}: {need.word}"))
            else:
                yield need
        before = value if "\ue000" not in value else ""


def _default(check: Check, option: str) -> tuple[str, Any]:
    """The destination and default of an option; empty and None if the check does not know it."""
    for invocation in check.invocations:
        for place, strings in invocation.options.items():
            if option in strings:
                return place, next((each.default for each in invocation.schema if each.place == place), None)
    return "", None


def _is_output(check: Check, option: str, value: str) -> bool:
    """Whether a fixed value only says where output is written."""
    return "\ue000" not in value and is_output(_default(check, option)[0] or option.lstrip("-").replace("-", "_"))


def _is_free(recipe: Recipe, destination: str) -> bool:
    """Whether an answer may leave a setting out."""
    name = destination.lstrip("-").replace("-", "_")
    return is_free(name) or name in recipe.free
