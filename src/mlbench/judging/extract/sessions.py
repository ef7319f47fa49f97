"""Sessions of a terminal or an interpreter, without prompts and output."""

from __future__ import annotations

import re

from mlbench.shell.prompts import PYTHON_PROMPT, SHELL_PROMPT

_PROMPT = re.compile(f"{SHELL_PROMPT.pattern}|{PYTHON_PROMPT.pattern}")
_CELL = re.compile(r"^\s*In[ ]\[[\d ]{0,4}\]:[ \t]*$")
_OUT = re.compile(r"^\s*Out[ ]?\[[\d ]{0,4}\]:")
_GOES_ON = re.compile(r"^\s*(?:>|\.\.\.:?)(?: |$)")
_DIFF_HEAD = re.compile(r"^(?:diff |index |--- |\+\+\+ |@@ )", re.M)


def without_prompts(code: str) -> str:
    """A session (`$ command`, `>>> statement`, `In [1]:`) without prompts and output."""
    lines = code.split("\n")
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    if not _PROMPT.match(first):
        return code
    kept: list[str] = []
    goes_on = last_kept = in_cell = False
    for line in lines:
        if _CELL.match(line):
            in_cell = last_kept = True
        elif _OUT.match(line):
            in_cell = last_kept = False
        elif goes_on:
            kept.append(_GOES_ON.sub("", line))
        elif prompt := _PROMPT.match(line):
            kept.append(line[prompt.end() :])
            in_cell, last_kept = False, True
        elif last_kept and _GOES_ON.match(line):
            kept.append(_GOES_ON.sub("", line, count=1))
        elif in_cell:
            kept.append(line)
        else:
            last_kept = False
        goes_on = last_kept and not in_cell and line.rstrip().endswith("\\")
    return "\n".join(kept).strip("\n")


def without_diff(code: str, label: str) -> str:
    """The new lines of a diff that shows a command; empty for a patch of a file."""
    lines = [line for line in code.split("\n") if line.strip()]
    is_diff = label in ("diff", "patch") or bool(lines and all(re.match(r"^\+ ?\S", line) for line in lines))
    if not is_diff:
        return code
    if _DIFF_HEAD.search(code):
        return ""
    new = [line[1:] if line[:1] in "+ " else line for line in code.split("\n") if not line.startswith("-")]
    blank = all(line.startswith(" ") for line in new if line.strip())
    return "\n".join(line[1:] if blank else line for line in new)
