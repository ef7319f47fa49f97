"""How pages and code use a program or a function: the values that stand with it, read from text and never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mlbench.shell.languages import parse_python
from mlbench.shell.prompts import ANY_SIGN

_OPTION = re.compile(
    r"""(?<![\w-])(--?[A-Za-z][\w.-]*)[= ]+("[^"\n]*"|'[^'\n]*'|[^\s\\`|;<>()&"'$-][^\s\\`|;<>()&"'$]*)"""
)
_CONTINUED = re.compile(r"\\[ \t]*\n")
_BETWEEN = re.compile(r"[\s`|;&()<>]+")
_LONGEST, _CLOSINGS = 2000, 25
"""Characters of a call, and closing parentheses that are tried as its end."""


@dataclass(frozen=True)
class Passed:
    """A text that a call passes to a parameter.

    Attributes:
        order: the function's parameters, by which positional arguments get their names.
        beside: the other texts of the same call, by parameter: a value belongs to those that stand with it.
        page: where the call stands; what the same page passes comes before what others do.
    """

    function: str
    parameter: str
    order: tuple[str, ...] = ()
    beside: Mapping[str, str] | None = None
    page: str = ""


def option_values(
    text: str, options: tuple[str, ...], starts: Callable[[str, bool], bool], modes: tuple[str, ...] = ()
) -> Iterator[str]:
    """The values that the commands of one program give to an option.

    Args:
        starts: whether a word is the program; told whether it is the first of its line.
        modes: what the command says as well.
    """
    for line in _CONTINUED.sub(" ", text).split("\n"):
        if not any(option in line for option in options) or not all(mode in line.replace("=", " ") for mode in modes):
            continue
        words = [word for word in _BETWEEN.split(ANY_SIGN.sub("", line)) if word]
        if any(starts(word, at == 0) for at, word in enumerate(words)):
            yield from (value.strip("\"'") for option, value in _OPTION.findall(line) if option in options)


def text_of_call(call: Mapping[str, str], passed: Passed) -> str:
    """The text that a call passes to a parameter, where it passes the same other texts; else nothing."""
    fits = all(call.get(name) == value for name, value in (passed.beside or {}).items())
    return call.get(passed.parameter, "") if fits else ""


def calls(text: str, function: str, order: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The literal texts of each call of a function in a text, by parameter; the text need not be Python around it."""
    for start in re.finditer(rf"(?<!def )(?<!class )\b{re.escape(function)}\(", text):
        call = _call(text[start.start() : start.start() + _LONGEST])
        if call is None:
            continue
        named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        given = dict(zip(order or ("",), call.args, strict=False)) | named
        yield {
            name: value.value
            for name, value in given.items()
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        }


def _call(text: str) -> ast.Call | None:
    """The call that a text begins with; None where it does not end soon, or is no Python."""
    for count, end in enumerate(re.finditer(r"\)", text)):
        if count >= _CLOSINGS:
            break
        _, tree = parse_python(text[: end.end()])
        if tree is not None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
            value = tree.body[0].value
            return value if isinstance(value, ast.Call) else None
    return None
