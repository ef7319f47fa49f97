"""What a person would type of a code block: without prompts, printed output and magics."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from mlbench.records import Kind
from mlbench.shell.languages import language_of, looks_like_shell
from mlbench.shell.prompts import (
    PYTHON_CONTINUATION,
    PYTHON_PROMPT,
    QUOTE_PROMPT,
    SHELL_CONTINUATION,
    SHELL_PROMPT,
)
from mlbench.shell.shell_static import words

SHELL_LABELS = words("bash sh shell zsh console shell-session shellsession terminal cmd powershell ps1 bat")
PYTHON_LABELS = words("python py python3 py3 ipython ipython3 pycon pycon3 doctest testcode notebook")
NO_LABELS = words("text txt plain plaintext none code default output") | {""}

_WINDOWS_END = re.compile(r"[ \t]+[\^`][ \t]*$", re.M)
_LOOSE_END = re.compile(r"\\[ \t]+(?:#.*)?$", re.M)
"""A backslash that is not the last of its line: a space or a comment follows, and the shell would end the command."""
_CELL_SHELL = re.compile(r"^%%(?:bash|sh|shell|script bash)\b.*$")
_SHELL_LINE = re.compile(r"^\s*!\s*(?=\S)|^\s*%(?=(?:cd|env|run|pip|conda)\b)")
_FETCHES = re.compile(r"(?:sudo )?(?:gcloud|gsutil|wget|curl|gdown|aws|kaggle|unzip|tar)\b")
_FORM = re.compile(r"[ \t]*#[ \t]*(?:@(?:title|param|markdown)\b|doctest:).*$", re.M)
"""What a notebook or a test runner reads of a comment."""
_MAGIC = re.compile(r"^\s*(?:%{1,2}[a-z]\w*\b.*|\?.*|[\w.]+\?{1,2})$")


@dataclass(frozen=True)
class Typed:
    """Typed code in one language; `lines` are its first and last line in the block, from 0."""

    lines: tuple[int, int]
    code: str
    language: Kind | None


def typed(text: str, label: str) -> Iterator[Typed]:
    """The code to type of a code block, by language.

    Args:
        text: the block.
        label: the language that a fence or directive names; empty if it names none.
    """
    text = text.replace("\xa0", " ")  # as a browser shows it
    text = textwrap.dedent(text.expandtabs(4) if label not in PYTHON_LABELS else text)
    text = _FORM.sub("", text)
    rows = text.split("\n")
    if label in PYTHON_LABELS | NO_LABELS and any(_SHELL_LINE.match(row) or _MAGIC.match(row) for row in rows):
        yield from _cell(rows)
        return
    code = without_prompts(text, label)
    if code.strip():
        yield Typed((0, len(rows) - 1), code, _language(code, label))


def _language(code: str, label: str) -> Kind | None:
    if label in PYTHON_LABELS:
        return language_of(_masked(code), "python").kind
    if label in SHELL_LABELS:
        return language_of(_masked(code), "shell").kind
    if label not in NO_LABELS or _TREE.search(code):
        return None
    found = language_of(_masked(code), None).kind
    if found == "shell" and not any(map(_is_command, code.split("\n"))):
        return None  # most prose, lists of files and printed output are valid shell
    return found


_TREE = re.compile("[│├└─]")
_PROGRAM = re.compile(r"^\s*[\w./-]+\s+(?:[\w./-]+\s+)*--?[A-Za-z]")
_OPTION_ROW = re.compile(r"^\s*--[A-Za-z]")
_PLACE = re.compile(r"<([A-Za-z][\w ./|:,-]*)>")


def _masked(code: str) -> str:
    """The code with each `<name>` replaced, because the shell would read a redirection."""
    return _PLACE.sub(lambda match: re.sub(r"\W", "_", match[1]), code)


def without_prompts(text: str, label: str = "") -> str:
    """The lines that are typed; all lines if there is no prompt."""
    text = _LOOSE_END.sub(r"\\", text)
    rows = text.split("\n")
    first = next((row for row in rows if row.strip() and not row.lstrip().startswith("#")), "")
    if label not in SHELL_LABELS and PYTHON_PROMPT.match(first):
        marks = [(PYTHON_PROMPT.match(row) or PYTHON_CONTINUATION.match(row), row) for row in rows]
        return "\n".join(row[mark.end() :] for mark, row in marks if mark)
    prompt = None
    if label not in PYTHON_LABELS:
        if SHELL_PROMPT.match(first):
            prompt = SHELL_PROMPT
        elif QUOTE_PROMPT.match(first) and _is_command(QUOTE_PROMPT.sub("", first)):
            prompt = QUOTE_PROMPT
    if prompt:
        text = "\n".join(_answered(rows, prompt))
    if label not in PYTHON_LABELS and "\\\n" not in text and _WINDOWS_END.search(text):
        text = _WINDOWS_END.sub(r" \\", text)
    return text if label in PYTHON_LABELS else _joined(text)


def _is_command(line: str) -> bool:
    return looks_like_shell(line) or _PROGRAM.match(line) is not None


def _joined(text: str) -> str:
    """The text with the backslashes that a page forgot: a line that begins with an option goes on a command."""
    rows = text.split("\n")
    is_open = False
    for at, row in enumerate(rows):
        if not _OPTION_ROW.match(row):
            is_open = (is_open and rows[at - 1].endswith("\\")) or _is_command(row)
        elif is_open and not rows[at - 1].rstrip().endswith("\\"):
            rows[at - 1] = rows[at - 1].rstrip() + " \\"
        is_open = is_open and " #" not in row
    return "\n".join(rows)


def _answered(rows: list[str], prompt: re.Pattern[str]) -> Iterator[str]:
    """The commands after a prompt with their continuation lines, and comments; no output."""
    goes_on = False
    for row in rows:
        if goes_on:
            yield SHELL_CONTINUATION.sub("", row) if prompt is SHELL_PROMPT else QUOTE_PROMPT.sub("", row)
        elif prompt.match(row):
            yield prompt.sub("", row)
        elif row.startswith("#"):
            yield row
        else:
            yield ""  # output: an empty line replaces it, so that lines keep their numbers
            continue
        goes_on = row.rstrip().endswith("\\")


def _cell(rows: list[str]) -> Iterator[Typed]:
    """A notebook cell as Python without magics, and its lines for the shell."""
    if _CELL_SHELL.match(rows[0]):
        yield Typed((1, len(rows) - 1), "\n".join(rows[1:]), "shell")
        return
    python: list[str] = []
    shell: list[str] = []
    goes_on = False
    for row in rows:
        if goes_on or _SHELL_LINE.match(row):
            bare = row if goes_on else _SHELL_LINE.sub("", row)
            shell.append(re.sub(r"^env (\w+)[= ](.*)", r"export \1=\2", bare))
            python.append("")
            goes_on = row.rstrip().endswith("\\")
        else:
            shell.append("")
            python.append("" if _MAGIC.match(row) else row)
    fetches = any(_FETCHES.match(row) for row in shell)
    for kind, kept in (("shell", shell), ("python", python)):
        code = "\n".join(kept)
        if code.strip():
            known: Kind | None = language_of(code, "python").kind if kind == "python" else "shell"
            if kind == "python" and fetches:
                continue  # without the files that the cell fetches, its Python is half of an example
            if kind == "shell" or known == "python":
                yield Typed((0, len(rows) - 1), code, known)
