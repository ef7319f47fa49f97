"""Patterns of the prompts that stand before typed commands in documentation and in replies.

Every repetition is bounded, because the text may be hostile.
"""

from __future__ import annotations

import re

_VENV = r"(?:\([\w.-]{1,64}\)[ \t]*)?"
_USER = r"[\w.-]{1,64}@[\w.-]{1,64}"

SHELL_PROMPT = re.compile(
    rf"^\s*(?:{_VENV}(?:(?:\[?{_USER}(?:[: \t][^$%#\n\]]{{0,200}})?\]?|bash-[\d.]{{1,8}})[ \t]?)?[$%❯][ \t]+"
    rf"|{_VENV}{_USER}:[^\s$%#]{{1,200}}#[ \t]+"  # root@host:/x#
    rf"|{_VENV}PS(?:[ \t]+[A-Za-z~/][^>\n]{{0,200}})?>[ \t]*"
    rf"|{_VENV}[A-Za-z]:\\[^>\n]{{0,200}}>[ \t]*"
    r"|➜[ \t]+\S{1,64}[ \t]+(?:git:\(\S{1,64}\)[ \t]+(?:✗[ \t]+)?)?)"
)
"""The prompt of a shell: `$ `, `(venv) user@host:~/x$ `, `root@host:/x# `, `PS C:\\x> `, `➜ x `."""

SHELL_CONTINUATION = re.compile(r"^\s*> ?")
"""What bash prints before the further lines of a command."""

QUOTE_PROMPT = re.compile(r"^> +(?=\S)")
"""A `>` that may be a prompt or a quotation; only the text behind it can tell."""

ANY_SIGN = re.compile(r"^\s*[$!%>] ?")
"""One sign before a command, on a page that need not show a session: a prompt, or a notebook's `!` or `%`."""

PYTHON_PROMPT = re.compile(r"^\s*(?:>>> ?|In ?\[[\d ]{0,4}\]: ?)")
"""The prompt of an interpreter or a notebook: `>>> `, `In [1]: `."""

PYTHON_CONTINUATION = re.compile(r"^\s*(?:\.\.\.(?: |$)|\.{3,}: ?)")
"""What an interpreter prints before the further lines of a statement."""
