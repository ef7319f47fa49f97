"""Repair Python 2 sources so that Python 3 can compile them, and provide removed builtins and modules.

The repairs only serve to find out what a program accepts. Each repair is reported, because the program needs Python 2.
"""

from __future__ import annotations

import builtins
import io
import re
import sys
import tokenize
from typing import Any

MODULES = {
    "ConfigParser": "configparser",
    "Queue": "queue",
    "SocketServer": "socketserver",
    "HTMLParser": "html.parser",
    "StringIO": "io",
    "__builtin__": "builtins",
    "cPickle": "pickle",
    "cStringIO": "io",
    "commands": "subprocess",
    "copy_reg": "copyreg",
    "httplib": "http.client",
    "itertools.izip": "itertools",
    "urllib2": "urllib.request",
    "urlparse": "urllib.parse",
}


class _Long(int):
    pass


class _File(io.TextIOWrapper):
    """`file(path)` opens it. It is a class, because code asks `isinstance(stream, file)`."""

    def __new__(cls, *args: Any, **named: Any) -> Any:
        return open(*args, **named)


def _cmp(a: Any, b: Any) -> int:
    return bool(a > b) - bool(a < b)


def _reduce(function: Any, *rest: Any) -> Any:
    import functools

    return functools.reduce(function, *rest)


def _reload(module: Any) -> Any:
    if module is sys:  # the only use of `reload(sys)`: it reveals this function
        sys.setdefaultencoding = lambda encoding: None
    return module


def _execfile(path: Any, *scopes: Any) -> None:
    with open(path) as file:
        builtins.exec(file.read(), *scopes)


BUILTINS: dict[str, Any] = {
    "xrange": range,
    "unicode": str,
    "basestring": str,
    "long": _Long,
    "raw_input": input,
    "unichr": chr,
    "reduce": _reduce,
    "cmp": _cmp,
    "reload": _reload,
    "file": _File,
    "execfile": _execfile,
}

_PRINT = re.compile(r"^(\s*|.*?[:;]\s*)print(?:\s+(?![=(.])|(?=[\"'])|\s+(?=\())(>>\s*[\w.]+\s*,?\s*)?(.*)$", re.DOTALL)
_BARE_PRINT = re.compile(r"^(\s*|.*?[:;]\s*)print\s*$", re.DOTALL)
_EXCEPT = re.compile(r"^(\s*except\s+)(\([^)]*\)|[\w.]+)\s*,\s*(\w+)\s*:")
_RAISE = re.compile(r"^(\s*(?:.*:\s*)?raise\s+)([\w.]+)\s*,\s*(.+?)\s*$", re.DOTALL)
_EXEC = re.compile(r"^(\s*)exec\s+(?!\()(.+?)(?:\s+in\s+(.+))?$", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|[1-9]\d*|0)[lL]\b")
_OCTAL = re.compile(r"(?<![\w.])0([0-7]+)\b(?![.\w])")
_BACKTICKS = re.compile(r"`([^`\n]+)`")
_STRING = re.compile(r"(\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')")
_ASYNC = re.compile(r"\b(?:async|await)(?=\s*=(?!=))")  # `x.cuda(async=True)`: a name until Python 3.7
_UR = re.compile(r"(?<!\w)[uU][rR](?=[\"'])")


def repair(source: str, path: str) -> tuple[str, list[str]]:
    """Return the repaired source and a list of the repairs.

    Raises:
        SyntaxError: it still does not compile. The error is that of the original source.
    """
    try:
        compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        first = error
    else:
        return source, []
    done: set[str] = set()
    text = source
    if isinstance(first, TabError) or "inconsistent use of tabs" in str(first):
        text = "\n".join(_expanded(line) for line in text.split("\n"))
        done.add("tabs")
    for _ in range(2):
        text = _repaired(text, done)
        try:
            compile(text, path, "exec", dont_inherit=True)
        except TabError:
            text = "\n".join(_expanded(line) for line in text.split("\n"))
            done.add("tabs")
        except (SyntaxError, ValueError):
            break
        else:
            return text, [f"{path}: Python 2 {each}" for each in sorted(done)]
    raise first if isinstance(first, SyntaxError) else SyntaxError(str(first))


def _expanded(line: str) -> str:
    body = line.lstrip(" \t")
    return line[: len(line) - len(body)].expandtabs(8) + body


def _repaired(text: str, done: set[str]) -> str:
    """Repair each logical line. Strings and comments that span lines do not change."""
    out = []
    for line in _logical_lines(text):
        body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "")
        out.append(_line(body, done) + end)
    return "".join(out)


def _line(line: str, done: set[str]) -> str:
    code, comment = _without_comment(line)
    for pattern, into, name in (
        (_EXCEPT, r"\1\2 as \3:", "except"),
        (_RAISE, r"\1\2(\3)", "raise"),
        (_BACKTICKS, r"repr(\1)", "backticks"),
        (_NUMBER, r"\1", "long numbers"),
        (_OCTAL, r"0o\1", "octal numbers"),
        (_UR, "r", "strings"),
        (_ASYNC, r"\g<0>_", "async"),
    ):
        changed = (
            _outside(pattern, into, code)
            if pattern in (_BACKTICKS, _NUMBER, _OCTAL, _ASYNC)
            else pattern.sub(into, code)
        )
        if changed != code:
            done.add(name)
            code = changed
    if found := _EXEC.match(code):
        code = f"{found[1]}exec({found[2]}{', ' + found[3] if found[3] else ''})"
        done.add("exec")
    if _BARE_PRINT.match(code) and "print" in _bare(code):
        code = re.sub(r"print\s*$", "print()", code)
        done.add("print")
    elif "print" in _bare(code) and (found := _PRINT.match(code)) and not _is_call(code, found):
        what = found[3].rstrip()
        code = f"{found[1]}print({what.rstrip(',')})"
        done.add("print")
    return code + comment


def _is_call(code: str, found: re.Match[str]) -> bool:
    """Whether a `print` is a call, as in `print (a, b)`, which both versions accept."""
    rest = found[3].strip()
    return not found[2] and rest.startswith("(") and rest.endswith(")") and "%" not in rest.rpartition(")")[2]


def _bare(code: str) -> str:
    """The code without the content of its strings."""
    return _STRING.sub("''", code)


def _outside(pattern: re.Pattern[str], into: str, code: str) -> str:
    """Replace a pattern outside of strings."""
    return "".join(part if at % 2 else pattern.sub(into, part) for at, part in enumerate(_STRING.split(code)))


def _without_comment(line: str) -> tuple[str, str]:
    quote = ""
    for index, sign in enumerate(line):
        if quote:
            if sign == quote and line[index - 1 : index] != "\\":
                quote = ""
        elif sign in "\"'":
            if line[index : index + 3] in ('"""', "'''"):
                return line, ""
            quote = sign
        elif sign == "#":
            code = line[:index].rstrip()
            return code, line[len(code) :]
    return line, ""


def _logical_lines(text: str) -> list[str]:
    """Join physical lines that brackets, backslashes or long strings continue; one line if that is unclear."""
    lines = text.splitlines(keepends=True)
    ends: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT):
                ends.add(token.end[0] if token.type != tokenize.NL else token.start[0])
            if token.type == tokenize.NL and token.line.strip() and not token.line.strip().startswith("#"):
                ends.discard(token.start[0])
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return lines
    out, held = [], ""
    for number, line in enumerate(lines, 1):
        held += line
        if number in ends or not line.strip() or number == len(lines):
            out.append(held)
            held = ""
    return out
