"""Decide whether an input that a text writes itself still has the content that its program read."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.interface_check.jail_files import JailFiles
from mlbench.interface_check.launches import Launch, Starts
from mlbench.interface_check.runtime import no_words
from mlbench.interface_check.runtime.inputs import CHANGED_LATER
from mlbench.records import Invocation
from mlbench.sandbox.jail import WORKSPACE
from mlbench.shell.commands import TracedCommand
from mlbench.shell.downloads import DOWNLOADERS
from mlbench.shell.languages import parse_shell

WRITTEN = "files written before"
"""The setting of a program without arguments for which the text writes files itself."""
_WORD = re.compile(r"[\w./-]+")
_PRINTED = re.compile(r"(?:>+|\btee\b(?:[ \t]+-\w+)?)[ \t]*([^\s;&|<>]+)")


@dataclass
class WrittenInputs:
    """The files of one text. Its shell is traced to the end before its programs and its Python code are asked.

    Attributes:
        repository: the checkout on the host, only read.
        written: files that its shell wrote, absolute in the jail.
        named: file names that its tools were given, without folders.
        fetched: file names that it downloads, or links to files outside of the repository.
        later: files that its shell changed after Python code of its own began.
        code: its own Python code has run.
        text: the text itself.
    """

    repository: Path
    written: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    fetched: frozenset[str] = frozenset()
    later: tuple[str, ...] = ()
    code: bool = False
    text: str = ""

    @classmethod
    def of(cls, repository: Path, found: Starts, text: str) -> WrittenInputs:
        """Collect the files of a text before any of its programs is asked."""
        named = frozenset(os.path.basename(word) for one in found.others if one.kind == "tool" for word in one.argv)
        fetched = frozenset(
            os.path.basename(word.partition("?")[0]) for one in found.others for word in _fetched(one, found.written)
        )
        return cls(repository, frozenset(found.written), named, fetched, text=text)

    def as_read(self, invocation: Invocation, start: Launch) -> Invocation:
        """The invocation without the digests of inputs that may have had other content when it started."""
        inputs = dict(invocation.inputs)
        for name in inputs if start.later or self.code else ():
            path = JailFiles(self.repository).real(os.path.join(start.cwd, name))
            later = any(f"{each}/".startswith(f"{path}/") for each in (*start.later, *self.later))
            if later or self._had_no_effect(path):
                inputs[name] = CHANGED_LATER
        if invocation.parser == no_words.PARSER and (before := self._before(start)):
            invocation = replace(invocation, configuration={**invocation.configuration, WRITTEN: before})
        return replace(invocation, inputs=inputs)

    def _before(self, start: Launch) -> list[str]:
        """The files that the text wrote itself before a start: a program without arguments may read them.

        What is downloaded, or linked to from elsewhere, is the user's data. What the program prints to is its output.
        What a script of the repository writes, such as a log with the time in its name, is no change of the answer's:
        beside one, only what the text names counts.
        """
        scripts = {word for word in _WORD.findall(self.text) if self._is_script(start.cwd, word)}
        printed = {os.path.basename(name) for each in (start.target, *scripts) for name in _printed(self.text, each)}
        files = sorted(self.written.difference(start.later))
        named = {part for word in _WORD.findall(self.text) for part in word.split("/")} if scripts else set()
        return [
            each
            for each in files
            if os.path.basename(each) not in printed | self.fetched
            and (not scripts or named.intersection(each.removeprefix(WORKSPACE).split("/")) - {""})
        ]

    def _is_script(self, folder: str, word: str) -> bool:
        path = os.path.normpath(os.path.join(folder, word))
        inside = path.removeprefix(f"{WORKSPACE}/")
        return word.endswith(".sh") and path not in self.written and (self.repository / inside).is_file()

    def went(self, invocation: Invocation, start: Launch) -> None:
        """Record that this was asked, because Python code may have written files."""
        if invocation.how == "code":
            self.code = True
            self.later += start.later

    def _had_no_effect(self, path: str) -> bool:
        """Whether a tool was given a file that Python code creates only after the shell was traced."""
        if not self.code or path in self.written or os.path.basename(path) not in self.named:
            return False
        return not os.path.lexists(f"{self.repository}{path.removeprefix(WORKSPACE)}")


def _fetched(command: TracedCommand, written: Container[str]) -> tuple[str, ...]:
    """The words of a command that downloads, or that links to a place outside of the repository.

    A link to what the text wrote there is none.
    """
    name, *words = (os.path.basename(command.argv[0]), *command.argv[1:]) if command.argv else ("",)
    places = [os.path.normpath(os.path.join(command.cwd, word)) for word in words if not word.startswith("-")]
    elsewhere = [place for place in places[:-1] if not f"{place}/".startswith(f"{WORKSPACE}/")]
    links = name == "ln" and elsewhere and not any(place in written for place in elsewhere)
    return tuple(words) if links or name in DOWNLOADERS else ()


def _printed(text: str, program: str) -> Iterator[str]:
    """The files that the printed output of a program goes to: `python a.py > FILE`, `python a.py | tee FILE`."""
    todo = [parse_shell(text).root_node]
    while todo:
        node = todo.pop()
        todo += node.children
        if node.type in ("redirected_statement", "pipeline"):
            yield from _PRINTED.findall((node.text or b"").decode(errors="replace").partition(program)[2])
