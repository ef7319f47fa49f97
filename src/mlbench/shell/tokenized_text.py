"""The words of a candidate, for the whole-token rule, in either language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlbench.records import Kind

_FLAG = re.compile(r"--?[A-Za-z]")


@dataclass
class TokenizedText:
    """The words of a program.

    Attributes:
        words: every word.
        starts: the position in `words` of the first word of each command.
        runs: the values of each flag (`--layers 0 2`).
        positional: the words of commands and calls that belong to no flag.
        scripts: programs inside this one (`bash -c '...'`), still to be read.
    """

    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    runs: list[list[str]] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    scripts: list[tuple[Kind, str]] = field(default_factory=list)

    def add(self, word: str) -> None:
        """Add one word, unless it is empty."""

        if word:
            self.words.append(word)

    def add_command(self, words: Sequence[str]) -> None:
        """Add the words of one command line, the program first. The values of each flag form a run."""
        self.starts.append(len(self.words))
        run = self.positional
        for word in words:
            self.add(word)
            if _FLAG.match(word):
                run = []
                self.runs.append(run)
            else:
                run.append(word)
        self.positional.append("")  # separates this command from the next
