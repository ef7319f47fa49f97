"""Decide whether an input that a text writes itself still has the content that its program read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.interface_check.jail_files import JailFiles
from mlbench.interface_check.launches import Launch, Starts
from mlbench.interface_check.runtime.inputs import CHANGED_LATER
from mlbench.records import Invocation
from mlbench.sandbox.jail import WORKSPACE


@dataclass
class WrittenInputs:
    """The files of one text. Its shell is traced to the end before its programs and its Python code are asked.

    Attributes:
        repository: the checkout on the host, only read.
        written: files that its shell wrote, absolute in the jail.
        named: file names that its tools were given, without folders.
        later: files that its shell changed after Python code of its own began.
        code: its own Python code has run.
    """

    repository: Path
    written: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    later: tuple[str, ...] = ()
    code: bool = False

    @classmethod
    def of(cls, repository: Path, found: Starts) -> WrittenInputs:
        """Collect the files of a text before any of its programs is asked."""
        named = frozenset(os.path.basename(word) for one in found.others if one.kind == "tool" for word in one.argv)
        return cls(repository, frozenset(found.written), named)

    def as_read(self, invocation: Invocation, start: Launch) -> Invocation:
        """The invocation without the digests of inputs that may have had other content when it started."""
        inputs = dict(invocation.inputs)
        for name in inputs if start.later or self.code else ():
            path = JailFiles(self.repository).real(os.path.join(start.cwd, name))
            later = any(f"{each}/".startswith(f"{path}/") for each in (*start.later, *self.later))
            if later or self._had_no_effect(path):
                inputs[name] = CHANGED_LATER
        return replace(invocation, inputs=inputs)

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
