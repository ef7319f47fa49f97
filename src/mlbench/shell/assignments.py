"""Patterns of assignments in shell text: `NAME=value`."""

from __future__ import annotations

import re

NAME = r"[A-Za-z_]\w*"
"""The name of a variable."""

WORD = re.compile(rf"({NAME})=(.*)", re.DOTALL)
"""One word that is an assignment: its name and its value. Use `match` or `fullmatch`."""

IN_TEXT = re.compile(rf"(?:^|[\s;&(])({NAME})=", re.MULTILINE)
"""The names that a text assigns, exported or not. Use `findall`."""

ALONE = re.compile(rf"(?:^|[;\s])({NAME})=[^\s;]*\s*(?:;|$)", re.MULTILINE)
"""The names that are assigned with no command behind them: children of the shell do not see them."""

FOR_COMMAND = re.compile(rf"(?:^|\s)({NAME})=\S*(?=[^\n;]*\s(?:bash|python3?|sh)\s)", re.MULTILINE)
"""The names that are set for one command alone, as in `SEED=1 bash train.sh`."""
