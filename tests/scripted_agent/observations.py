"""What the engineer may do, and what it has seen so far, whatever words it was said in.

A dialect turns an act into a call or a text, and a conversation back into turns. A turn is a shell command and its
output; where there is no shell the dialect writes down the turn that would have shown the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

CHUNK = 9_000
"""Characters of a file that are read at once: agents cut longer outputs."""

LOOK = "find . -type f -not -path '*/.git/*' -not -name '*.pyc' | sort | head -n 400"
TRY = "timeout 60 bash run.sh 2>&1 | tail -n 40; echo exit status ${PIPESTATUS[0]}"
_END = "END_OF_FILE"
_READ = re.compile(r"head -c (\d+) '?([\w./ -]+?)'?(?: \| tail -c \+(\d+))?$")
_WRITE = re.compile(rf"cat > '?([\w./-]+?)'? <<'{_END}'\n(.*?)\n?{_END}\n?$", re.DOTALL)
_INSTALL = re.compile(r"pip install -q (.+)$")


@dataclass(frozen=True)
class Run:
    """Run a command in the root of the repository."""

    command: str
    why: str = ""


@dataclass(frozen=True)
class Done:
    """Say that it is finished."""

    text: str


Act = Run | Done


def look() -> Run:
    return Run(LOOK, "First I look at what is here.")


def read(path: str, start: int = 0) -> Run:
    """The characters from `start` on, a chunk of them."""
    part = f" | tail -c +{start + 1}" if start else ""
    return Run(f"head -c {start + CHUNK} '{path}'{part}", f"I read {path}.")


def write(path: str, text: str, why: str = "") -> Run:
    return Run(f"cat > '{path}' <<'{_END}'\n{text.rstrip()}\n{_END}", why or f"I write {path}.")


def written(command: str) -> tuple[str, str] | None:
    """Path and text of the file that a command of `write` makes."""
    found = _WRITE.match(command)
    return (posixpath.normpath(found[1]), found[2]) if found else None


def read_path(command: str) -> str | None:
    """The file that a command of `read` shows."""
    found = _READ.match(command)
    return posixpath.normpath(found[2]) if found else None


@dataclass(frozen=True)
class Turn:
    """A command that was run, and what came back."""

    command: str
    output: str


@dataclass(frozen=True)
class Seen:
    """What the turns have shown.

    Attributes:
        looked: the listing of files was asked for.
        files: the paths in the listing, without `./`.
        texts: what was read of each file, in the order of reading; `partial` those of which there is more.
        written: what the engineer wrote, by path.
        answers: the other commands and their output.
        tries: the outputs of `run.sh` since it was last written or something was installed; `failures` those before.
        installed: the packages that were asked for.
    """

    looked: bool = False
    files: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    partial: frozenset[str] = frozenset()
    written: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    tries: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()

    @property
    def documents(self) -> dict[str, str]:
        return {path: text for path, text in self.texts.items() if is_document(path)}


def is_document(path: str) -> bool:
    name = posixpath.basename(path).lower()
    return name.endswith((".md", ".rst")) or name.startswith("readme")


def seen(turns: Sequence[Turn]) -> Seen:
    """What the turns have shown, in their order."""
    state = Seen()
    looked, files, partial = False, state.files, set[str]()
    texts, made, answers = dict[str, str](), dict[str, str](), dict[str, str]()
    tries, failures, installed = list[str](), list[str](), list[str]()
    for turn in turns:
        if turn.command == LOOK:
            looked = True
            files = tuple(dict.fromkeys(m[1] for m in re.finditer(r"(?:^|\s|\")\./(\S+?)(?=\s|\"|$)", turn.output)))
        elif found := _READ.match(turn.command):
            path = posixpath.normpath(found[2])
            before = texts.get(path, "").encode()[: int(found[3] or 1) - 1]
            texts[path] = before.decode(errors="ignore") + turn.output
            (partial.add if len(turn.output.encode()) >= CHUNK - 10 else partial.discard)(path)
        elif file := written(turn.command):
            made[file[0]] = file[1]
            failures += tries
            tries = []
        elif turn.command == TRY:
            tries.append(turn.output)
        elif found := _INSTALL.search(turn.command):
            installed += found[1].split()
            answers = {c: output for c, output in answers.items() if "No module named" not in output}
            failures += tries
            tries = []
        else:
            answers[turn.command] = turn.output
    return Seen(
        looked, files, texts, frozenset(partial), made, answers, tuple(tries), tuple(failures), tuple(installed)
    )
