"""The text output of `mlbench probe`: verdict, reason, configuration, and what was not checked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from mlbench.records import Check, CheckStatus, Invocation

EXIT_CODES = {CheckStatus.ACCEPTED: 0, CheckStatus.REJECTED: 1, CheckStatus.UNDECIDED: 3, CheckStatus.BROKEN: 3}
WIDTH = 200  # characters of one value


def text_of(check: Check) -> str:
    """Return a check as text. `*` marks the values that the command gave; the others are defaults."""
    lines = [f"{check.status}: {check.reason}" if check.reason else str(check.status)]
    lines += [f"  {line}" for line in check.message.splitlines()]
    for invocation in check.invocations:
        lines += ["", *_invocation(invocation, check)]
    return "\n".join(map(_printable, lines))


def _invocation(found: Invocation, check: Check) -> Iterator[str]:
    words = shlex.join([found.program, *found.argv]) if found.program else found.how
    where = f" (in {found.cwd})" if found.cwd not in ("", ".") else ""
    yield f"{words}{where}"
    if len(check.invocations) > 1:
        yield f"  {found.status}{f': {found.reason}' if found.reason else ''}"
    if (found.reason, found.message) != (check.reason, check.message):
        yield from (f"  {line}" for line in found.message.splitlines())
    yield from _table(found)
    for call in found.calls:
        arguments = ", ".join(f"{name}={_value(value)}" for name, value in call.arguments.items())
        yield f"  calls {call.function}({arguments})"
    if found.ignored:
        yield f"  ignored: {shlex.join(found.ignored)} (the program accepts these words and does not use them)"
    yield from (f"  unchecked: {note}" for note in found.unchecked)
    yield from (f"  repaired: {repair}" for repair in found.repairs)


def _table(found: Invocation) -> Iterator[str]:
    """Return the configuration, one destination per line: the command's values first, then the defaults."""
    names = sorted(found.configuration, key=lambda name: (name not in found.given, name))
    width = min(max(map(len, names), default=0), 40)
    if names:
        yield f"  configuration ({found.parser or 'by hand'}; * given by the command):"
    for name in names:
        yield f"  {'*' if name in found.given else ' '} {name:{width}}  {_value(found.configuration[name])}"


def _value(value: Any) -> str:
    """Return a value as JSON; a value that JSON cannot express is followed by its type."""
    if isinstance(value, dict) and value.keys() == {"!", "value"}:
        return f"{_value(value['value'])} ({value['!']})"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}…"


def _printable(line: str) -> str:
    """Escape control characters: a repository's text must not control the terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
