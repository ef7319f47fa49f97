"""How an API name, a keyword, a call or a nested setting has to stand in a text to be shown by it."""

from __future__ import annotations

import posixpath
import re

from mlbench.suite_builder.oracle.needs import stands

_DEEPEST = 60
"""The most lines from the outermost section of a nested setting to the setting itself."""
_KEY = re.compile(r"""( *)(?:- )?["']?([\w.-]+)["']?\s*:(?!:)""")
_NAMED = re.compile(r"\s*\w+\s*=(?!=)")


def holds_name(name: str, text: str) -> bool:
    """Whether a text holds an API name; one that is an English word too has to stand as code (`.generate`, `load(`)."""
    if not (name.isalpha() and name.islower()):
        return stands(name, text)
    word = re.escape(name)
    return re.search(rf"(?<=[.`])(?<!\. ){word}\b|\b{word}\s*\(|\b(?:def|class|import)\s+{word}\b", text) is not None


def holds_keyword(name: str, text: str, code: bool) -> bool:
    """Whether a text holds the keyword of a call.

    Args:
        name: of the keyword.
        text: to look in.
        code: the text is source code, where the name has to be a parameter, an argument or a key.
    """
    word = re.escape(name)
    shown = re.sub(rf"(?m)^[ \t]*{word}[ \t]*=(?!=)([^\n]+)$(?!\s*[)\]}}])", _but_variable, text)
    if not code:
        return stands(name, shown)
    shown = re.sub(r"(?m)(?:^|\s)#.*$", "", shown)  # a comment may name a parameter of another function
    return re.search(rf"(?<!\w){word}\b[\"'`]?\s*(?::(?!:)|=(?!=)|,|\)|\()", shown) is not None


def _but_variable(line: re.Match[str]) -> str:
    """Nothing in place of a variable's assignment; an argument that begins a line stays."""
    closed = sum(line[1].count(sign) for sign in ")]}") - sum(line[1].count(sign) for sign in "([{")
    return line[0] if closed > 0 or line[1].rstrip().endswith(",") else ""


def holds_call(name: str, count: int, text: str) -> bool:
    """Whether a text shows the order of a function's parameters: its definition, or a call.

    Args:
        name: of the function.
        count: the arguments without names that the call has at least.
        text: to look in.
    """
    for match in re.finditer(rf"(\bdef\s+)?(?<!\w){re.escape(name)}\s*\(", text):
        if match[1] or _positions(text[match.end() :]) >= count:
            return True
    return False


def _positions(rest: str) -> int:
    """The arguments without names of a call, from behind its bracket on."""
    depth, begin, found = 0, 0, list[str]()
    for at, sign in enumerate(rest):
        if sign in "([{":
            depth += 1
        elif (sign == "," and not depth) or (sign in ")]}" and depth == 0):
            found.append(rest[begin:at])
            begin = at + 1
            if sign != ",":
                break
        elif sign in ")]}":
            depth -= 1
    return sum(bool(each.strip()) and not _NAMED.match(each) for each in found)


def nested_lines(key: str, file: str, text: str) -> tuple[int, int] | None:
    """The lines, from 0, from the outermost section of a nested setting to the setting; None if they are not there.

    Args:
        key: such as `model.net.width`.
        file: its folders and its name may stand for the first sections.
        text: of a settings file, or a part of it.
    """
    keys = key.lstrip("+~").split(".")
    folders = posixpath.splitext(file)[0].split("/")
    for outer in range(len(keys)):
        if all(section in folders for section in keys[:outer]) and (found := _nested(keys[outer:], text)):
            return found
    return None


def _nested(keys: list[str], text: str) -> tuple[int, int] | None:
    open_: list[tuple[int, str, int]] = []
    for at, line in enumerate(text.split("\n")):
        if not (match := _KEY.match(line)):
            continue
        while open_ and open_[-1][0] >= len(match[1]):
            open_.pop()
        open_.append((len(match[1]), match[2], at))
        names = [name for _, name, _ in open_]
        if names[-len(keys) :] == keys and at - open_[-len(keys)][2] < _DEEPEST:
            return open_[-len(keys)][2], at
    return None
