"""Splits a shell block into commands, with their folders and why some are no task."""

from __future__ import annotations

import itertools
import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import tree_sitter

from mlbench.shell import assignments
from mlbench.shell.foreign_programs import BY_PURPOSE
from mlbench.shell.languages import parse_shell, shell_fault_of
from mlbench.shell.launchers import LaunchTarget, Refusal, target
from mlbench.suite_builder.mining.shell_variables import ASSIGNING, ShellVariables

_MODULES = {
    **dict.fromkeys(("pip", "venv", "virtualenv", "ensurepip", "spacy", "build", "nltk.downloader"), "installs"),
    **dict.fromkeys(("pytest", "unittest", "doctest", "nose"), "tests"),
    **dict.fromkeys(("http.server", "visdom.server", "visdom", "notebook", "jupyter", "ipykernel"), "serves"),
}
_WHY = {
    "installs": "it installs something",
    "downloads": "it downloads or copies something",
    "housekeeping": "it starts no program of the repository",
    "container": "it works with containers",
    "serves": "it starts a server of others",
    "tests": "it runs tests or checks the code's style",
    "cluster": "it hands work to a cluster",
    "control-flow": "it is a loop or a condition, not one command",
    "help": "it prints the program's help or version",
    "no-command": "it is no command that can be read",
}
_BY_NAME = {name: purpose for purpose in _WHY for name in BY_PURPOSE.get(purpose, ())}
"""Programs that are nobody's task, by the reason for which they are set aside."""
_FLOW = ("for_statement", "c_style_for_statement", "while_statement", "if_statement", "case_statement",
         "function_definition", "compound_statement", "test_command")  # fmt: skip
_HELP = frozenset({"--help", "--helpfull", "--helpshort", "--version"})
_BROKEN_OPTION = re.compile(r"^python.* -- [a-z_]+(?: [^-\s]\S*)?(?:\s|$)")
"""A slip of the page: `-- num_workers 16`, which ends the options."""
_CONTINUES = re.compile(r"[ \t]*--[A-Za-z]")
_COMMENT = re.compile(r"[ \t]#[^'\"]*$")
_EMPTY = re.compile(r"(?m)^[ \t]*\\\n")
"""A line of which only its continuation is left."""
_LOOP_VALUE = re.compile(r"([\w./:@%+-]+)|\{(\d+)\.\.\d+\}|(?:\$\(|`)seq(?: (-?\d+))?(?: -?\d+)* -?\d+(?:\)|`)")
"""A word of a loop, or numbers: `{1..5}`, `$(seq 0 4)`, `$(seq 5)`; the groups hold the first one."""
_LOOKS = re.compile(r"^[\w./~$+-]+(?:\s|$)")
NO_VARIABLES = ShellVariables()
_SHOWING = frozenset({"tee", "less", "more", "head", "tail", "grep", "egrep", "column", "ts"})
"""Programs that show or keep what another one prints."""
SHELLS = ("bash", "sh", "zsh", "source")
LAUNCHER = (
    r"(?:--(?:nproc[_-]per[_-]node|num[_-]processes|num_gpus)[= ]"
    r"|\b(?:mpiexec|mpirun|horovodrun)\b[^\n]*? -np?(?:[= ]+|(?=\d)))"
)
"""What stands before the number of processes."""


@dataclass(frozen=True)
class DocCommand:
    """One command of a block.

    Attributes:
        code: the command, after the assignments that it reads.
        rows: first and last line in the block, from 0.
        folder: where earlier `cd`s lead, from the block's start; empty if there are none.
        said: the comments about it.
        reason: why it is no task; empty if it may be one.
        words: the command's words, without the assignments before it.
        reads: the assignments whose values it has.
        inner: the words of each command in a loop or condition.
    """

    code: str
    rows: tuple[int, int]
    folder: str = ""
    said: str = ""
    reason: str = ""
    words: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    inner: tuple[tuple[str, ...], ...] = ()

    @property
    def why(self) -> str:
        return _WHY.get(self.reason, "")


@dataclass
class _CommandReader:
    folder: str = ""
    variables: ShellVariables = field(default_factory=ShellVariables)
    comments: list[str] = field(default_factory=list)


def commands(code: str, known: ShellVariables = NO_VARIABLES) -> list[DocCommand]:
    """The commands of a block, in order, also those that are no task.

    Args:
        code: the block.
        known: what other blocks of the page set.
    """
    reader = _CommandReader(variables=ShellVariables().over(known))
    code = _joined(code)
    if shell_fault_of(code):
        return list(_by_lines(code, reader))
    return list(_read(parse_shell(code).root_node, reader, 0))


def _joined(code: str) -> str:
    """The block with a backslash where the next line begins with an option, and without comments in such a command.

    Pages leave the backslashes out, and explain the options between them. The lines stay where they are.
    """
    rows = code.split("\n")
    last = -1  # the latest line that is neither empty nor a comment
    for at, row in enumerate(rows):
        if last >= 0 and _CONTINUES.match(row):
            first = _COMMENT.sub("", rows[last]).rstrip("\\ \t")
            rows[last:at] = [f"{first} \\", *["\\"] * (at - last - 1)]
        if row.strip() and not row.lstrip().startswith("#"):
            last = at
    return "\n".join(rows)


def _by_lines(code: str, reader: _CommandReader) -> Iterator[DocCommand]:
    """The block by lines with continuations, if it cannot be parsed because of printed output."""
    rows = code.split("\n")
    at = 0
    while at < len(rows):
        end = at
        while end + 1 < len(rows) and rows[end].rstrip().endswith("\\"):
            end += 1
        text = "\n".join(rows[at : end + 1])
        if text.strip() and not shell_fault_of(text):
            yield from _read(parse_shell(text).root_node, reader, at)
        elif text.strip():
            yield DocCommand(text, (at, end), reason="no-command")
        at = end + 1


def _read(root: tree_sitter.Node, reader: _CommandReader, begin: int) -> Iterator[DocCommand]:
    ended = -1
    for node in _flat(root):
        first, last = begin + node.start_point.row, begin + node.end_point.row
        text = _text(node)
        if node.type == "comment":
            if first > ended:  # not behind a command on its line
                reader.comments.append(text.lstrip("# ").strip())
        elif node.type in ASSIGNING:
            reader.variables.assign(text)
            reader.comments = []
        elif node.type == "subshell":  # its `cd` ends with it
            folder = reader.folder
            yield from _read(node, reader, begin)
            reader.folder = folder
        elif (loop := _first_round(node, reader, begin)) is not None:
            yield from loop
            reader.comments = []
        elif node.type in _FLOW:
            yield DocCommand(text, (first, last), reader.folder, reason="control-flow", inner=_inner(node))
            reader.comments = []
        else:
            yield _command(_without_printing(node), (first, last), reader)
        ended = last


def _first_round(node: tree_sitter.Node, reader: _CommandReader, begin: int) -> list[DocCommand] | None:
    """The commands of a loop over plain words, `for seed in 13 21; do ...`, with the first of them; None for others.

    A page gives the values of a setting so. Each command stands for the rows of the whole loop, which show them.
    """
    if node.type != "for_statement":
        return None
    variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
    values = [_text(each).strip("\"'") for each in node.children_by_field_name("value")]
    first = [next(filter(None, match.groups()), "1") for each in values if (match := _LOOP_VALUE.fullmatch(each))]
    if variable is None or body is None or not first or len(first) < len(values):
        return None
    kept = reader.folder, ShellVariables({**reader.variables.texts}, {**reader.variables.values})
    reader.variables.assign(f"{_text(variable)}={first[0]}")
    rows = begin + node.start_point.row, begin + node.end_point.row
    found = [replace(each, rows=rows) for each in _read(body, reader, 0)]
    reader.folder, reader.variables = kept
    return found


def _without_printing(node: tree_sitter.Node) -> str:
    """A command without what only shows or keeps its printed output: `| tee FILE`, `> FILE`, `2>&1`.

    It is no setting of the program, and no instruction asks for it.
    """
    if node.type == "redirected_statement" and (body := node.child_by_field_name("body")) is not None:
        redirects = node.children_by_field_name("redirect")
        if all(each.type == "file_redirect" and b">" in (each.text or b"") for each in redirects):
            return _without_printing(body)
    if node.type == "pipeline":
        kept = list(node.named_children)
        while len(kept) > 1 and _SHOWING.issuperset(words_of(_text(kept[-1]))[:1]):
            kept.pop()
        if len(kept) == 1:
            return _without_printing(kept[0])
        if len(kept) < len(node.named_children):
            return (node.text or b"")[: kept[-1].end_byte - node.start_byte].decode(errors="replace")
    return _text(node)


def _flat(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The statements; those joined by `&&` are separate."""
    for child in node.named_children:
        if child.type == "list" and any(each.type == "&&" for each in child.children):
            yield from _flat(child)
        else:
            yield child


def _command(text: str, rows: tuple[int, int], reader: _CommandReader) -> DocCommand:
    reads = tuple(reader.variables.needed(text))
    text = _EMPTY.sub("", reader.variables.inlined(text).removeprefix("time "))
    words = words_of(text)
    found = DocCommand(text, rows, reader.folder, " ".join(reader.comments), "", words)
    if not words or not _LOOKS.match(words[0]) or _BROKEN_OPTION.search(text):
        return replace(found, reason="no-command")
    if words[0] in ("cd", "pushd"):
        where = words[1] if len(words) > 1 else ""
        reader.folder = posixpath.normpath(posixpath.join(reader.folder, where)) if where else ""
    if reason := _aside(words):
        return replace(found, reason=reason)
    reader.comments = []
    return replace(found, code="\n".join([*reader.variables.needed(text), text]), reads=reads)


def _inner(node: tree_sitter.Node) -> tuple[tuple[str, ...], ...]:
    """The words of each command in a loop or condition."""
    found: list[tuple[str, ...]] = []
    todo = [node]
    while todo:
        each = todo.pop()
        if each.type == "command":
            found.append(words_of(_text(each)))
        todo += each.children
    return tuple(found)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a command without quotes, leading assignments and redirections.

    Of a pipe, they are those of the first command that may be the repository's: `curl URL | tool -`.
    """
    try:
        words = shlex.split(text.replace("\\\n", " "), comments=True)
    except ValueError:
        words = text.split()
    stages: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(word)
    found = [_bare(stage) for stage in stages]
    return next((stage for stage in found if stage and _is_named(stage) and not _aside(stage)), found[0])


def _is_named(words: tuple[str, ...]) -> bool:
    """Whether a command says what it starts; `sh` and `python -` run what they read."""
    found = started(words)
    return found is not None and posixpath.basename(found.name) not in (*SHELLS, "-", "")


def _bare(words: list[str]) -> tuple[str, ...]:
    """The words of one command of a pipe up to its redirections."""
    begin = next((at for at, word in enumerate(words) if not assignments.WORD.match(word)), len(words))
    ends = (at for at, word in enumerate(words) if word in (">", ">>", "2>", "<", "&>", "2>&1", "||"))
    return tuple(words[begin : next((at for at in ends if at >= begin), None)])


def started(words: tuple[str, ...]) -> LaunchTarget | None:
    """The program that a command starts behind its launchers; None if that is unknown."""
    if words and posixpath.basename(words[0]) in SHELLS and len(words) > 1 and not words[1].startswith("-"):
        return LaunchTarget("program", words[1], words[2:])
    found = target(words) if words else None
    return None if found is None or isinstance(found, Refusal) else found


def last_command(code: str) -> str:
    """The last line with its continuation lines."""
    lines = code.split("\n")
    at = len(lines) - 1
    while at > 0 and lines[at - 1].endswith("\\"):
        at -= 1
    return "\n".join(lines[at:])


def argv_of(code: str) -> tuple[str, ...]:
    """The words that the last command of a piece of code hands to its program, or to a script."""
    words = words_of(last_command(code))
    found = started(words)
    return found.argv if found else words


def script_words(code: str) -> tuple[str, ...] | None:
    """The words that a command hands to the shell script that it starts; None if it starts none."""
    found = started(tuple(code.replace("\\\n", " ").split()))
    words = (found.name, *found.argv) if found is not None else ()
    at = next((at for at, word in enumerate(words[:2]) if word.endswith(".sh")), None)
    return None if at is None else words[at + 1 :]


def _aside(words: tuple[str, ...]) -> str:
    name = posixpath.basename(words[0])
    found = started(words)
    if found is not None and _asks_help(found.argv):
        return "help"
    if found is not None and found.run == "module":
        return _MODULES.get(found.name, "")
    if found is not None and found.run == "file" and posixpath.basename(found.name) == "setup.py":
        return "installs"
    if found is not None and re.fullmatch(r"install\w*\.sh", posixpath.basename(found.name)):
        return "installs"
    if found is not None and found.run == "file" and re.match(r"test_|.*_test\.py$", posixpath.basename(found.name)):
        return "" if found.argv else "tests"
    if name == "source" or name not in _BY_NAME:
        return "housekeeping" if name == "source" else ""
    launched = found is not None and found.run in ("file", "module")  # `sudo python x.py`, `uv run x.py`
    return "" if launched else _BY_NAME[name]


def _asks_help(argv: Sequence[str]) -> bool:
    """Whether a program is asked for its help or version; `--version v2` with a value is a setting."""
    valued = {word for word, after in itertools.pairwise(argv) if word == "--version" and not after.startswith("-")}
    return bool(_HELP.difference(valued) & {*argv}) or tuple(argv) == ("-h",)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace").rstrip()
