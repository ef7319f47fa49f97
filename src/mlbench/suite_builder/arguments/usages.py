"""Finds how pages use a program or function: values in their commands and calls.

Text is parsed and never run.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlbench.shell.languages import parse_python
from mlbench.shell.prompts import ANY_SIGN
from mlbench.suite_builder.arguments.argument_kinds import kind_of
from mlbench.suite_builder.mining.placeholders import filled
from mlbench.suites.recipes import Words

_CONTINUED = re.compile(r"\\[ \t]*\n")
_ENDS = re.compile(r"(?<!\\)[|;&`]|(?<!\S)\d?>|\s#")
_OVERRIDE = re.compile(r"([+~]{0,2}[A-Za-z_][\w./@-]*)=(.+)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:\d|\.\d)")
_LIST = re.compile(r"[*,]|^[\[{]")  # several values: a sweep
_MACHINE = re.compile(r"gpu|device|worker|rank|port|verbos|debug|log|wandb|nproc|quiet")
_LONGEST, _CLOSINGS = 2000, 25
"""Characters of a call, and closing parentheses that are tried as its end."""


@dataclass(frozen=True)
class Passed:
    """A value that a call passes to a parameter.

    Attributes:
        value: the value.
        order: the function's parameters, which name positional arguments.
        beside: the other plain values of the same call, by parameter.
        page: the page of the call; other values on that page come first.
    """

    function: str
    parameter: str
    value: object = ""
    order: tuple[str, ...] = ()
    beside: Mapping[str, object] = field(default_factory=dict)
    page: str = ""


def is_loose(name: str) -> bool:
    """Whether no other setting depends on this one: seeds, epochs, outputs, the machine's devices."""
    kind = kind_of(name)
    is_own = kind is not None and (kind.kind in ("seed", "epochs") or kind.path == "output")
    return is_own or _MACHINE.search(name.lower()) is not None


def shown_commands(text: str, starts: Callable[[str, bool], bool]) -> Iterator[tuple[str, ...]]:
    """The words after the program's name in each command of a text, with filled placeholders.

    Args:
        text: a page or script.
        starts: whether a word is the program; also gets whether the word is the first of its line.
    """
    for line in _CONTINUED.sub(" ", text).split("\n"):
        plain = ANY_SIGN.sub("", line)
        for at, found in enumerate(re.finditer(r"[^\s`|;&()<>]+", plain)):
            if starts(found[0], at == 0):
                rest = _ENDS.split(filled(plain[found.end() :]).code, maxsplit=1)[0]
                try:
                    yield tuple(shlex.split(rest))
                except ValueError:
                    yield tuple(rest.split())
                break


def settings_of(words: Sequence[str], spellings: Mapping[str, str]) -> dict[str, Words]:
    """The words of a command by destination; positional words follow the option before them, or have no name.

    Args:
        words: the words after the program.
        spellings: the destination of each option.
    """
    found: dict[str, Words] = {}
    key = ""
    for word in words:
        name, glue, value = word.partition("=")
        if word.startswith("-") and len(word) > 1 and not _NUMBER.match(word):
            key = spellings.get(name) or spellings.get(f"-{name}") or name
            found[key] = (*found.get(key, ()), *([value] if glue else []))
        elif pair := _OVERRIDE.fullmatch(word):
            found[spellings.get(f"{pair[1]}=") or pair[1].lstrip("+~")] = (pair[2],)
        else:
            found[key] = (*found.get(key, ()), word)
    return found


def instead(own: Mapping[str, Words], others: Sequence[Mapping[str, Words]], place: str) -> list[Words]:
    """The values of one setting in the commands that are otherwise the same; of a switch, `()` if one leaves it out.

    Settings on which nothing depends may differ.

    Args:
        own: the settings of the command.
        others: those of the program's other commands.
        place: the setting.
    """
    rest = _bound(own, place)
    found = [each.get(place) for each in others if _bound(each, place) == rest]
    if not own[place]:
        return [()] if None in found else []
    values = dict.fromkeys(each for each in found if each and each != own[place])
    return [words for words in values if not any(map(_LIST.search, words))]


def _bound(settings: Mapping[str, Words], place: str) -> dict[str, Words]:
    """The settings besides one on which others may depend."""
    return {name: words for name, words in settings.items() if name != place and not is_loose(name.lstrip("-"))}


def values_given(settings: Sequence[Mapping[str, Words]], place: str) -> Iterator[str]:
    """The single values that commands give to a setting."""
    for each in settings:
        words = each.get(place, ())
        if len(words) == 1 and not _LIST.search(words[0]):
            yield words[0]


def value_of_call(call: Mapping[str, object], passed: Passed) -> object:
    """The value that a call passes to a parameter, if its other plain values are the same; else None."""
    others = {name for name in call if name != passed.parameter and not is_loose(name)}
    fits = others == passed.beside.keys() and all(call[name] == value for name, value in passed.beside.items())
    value = call.get(passed.parameter)
    return value if fits and type(value) is type(passed.value) else None


def calls(text: str, function: str, order: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """The plain values of each call of a function, by parameter; the rest may be prose.

    Args:
        text: a page or file.
        function: the function's name.
        order: its parameters.
    """
    for start in re.finditer(rf"(?<!def )(?<!class )\b{re.escape(function)}\(", text):
        call = _call(text[start.start() : start.start() + _LONGEST])
        if call is None:
            continue
        named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        given = dict(zip(order or ("",), call.args, strict=False)) | named
        values = {name: _literal(value) for name, value in given.items()}
        yield {name: value for name, value in values.items() if value is not None}


def _literal(value: ast.expr) -> object:
    try:
        return ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _call(text: str) -> ast.Call | None:
    """The call at the start of a text; None if it is too long or not Python."""
    for count, end in enumerate(re.finditer(r"\)", text)):
        if count >= _CLOSINGS:
            break
        _, tree = parse_python(text[: end.end()])
        if tree is not None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            value = tree.body[0].value
            return value if isinstance(value, ast.Call) else None
    return None
