"""The words of a candidate: what the whole-token rule looks at, whichever the language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlbench.records import Kind

_FLAG = re.compile(r"--?[A-Za-z]")


@dataclass
class TokenizedText:
    """Every word; the words of one flag (`--layers 0 2`), as runs; the words of commands and calls that belong to no
    flag; the programs that stand as text in this one (`bash -c '...'`), still to be read."""

    words: list[str] = field(default_factory=list)
    runs: list[list[str]] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    scripts: list[tuple[Kind, str]] = field(default_factory=list)

    def add(self, word: str) -> None:
        if word:
            self.words.append(word)

    def add_command(self, words: Sequence[str]) -> None:
        """The words of one command line, the program first: with the words of each flag as a run."""
        run = self.positional
        for word in words:
            self.add(word)
            if _FLAG.match(word):
                run = []
                self.runs.append(run)
            else:
                run.append(word)
        self.positional.append("")  # what stands behind belongs to the next command
