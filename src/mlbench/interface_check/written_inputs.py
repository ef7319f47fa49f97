"""Inputs that a text writes itself: whether what stands there at the end is what its program read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.interface_check.jail_files import JailFiles
from mlbench.interface_check.launched_programs import Launch, Starts
from mlbench.interface_check.runtime.inputs import CHANGED_LATER
from mlbench.records import Invocation
from mlbench.sandbox.jail import WORKSPACE


@dataclass
class WrittenInputs:
    """The files of one text. Its shell is followed to the end before its programs and its Python code are asked.

    Attributes:
        repository: on the host; only looked at.
        written: files that its shell wrote, absolute in the jail.
        named: what its tools were given, without folders.
        later: files that its shell changed after Python code of its own began.
        code: Python code of its own has run.
    """

    repository: Path
    written: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    later: tuple[str, ...] = ()
    code: bool = False

    @classmethod
    def of(cls, repository: Path, found: Starts) -> WrittenInputs:
        """The files of a text before any of its programs is asked."""
        named = frozenset(os.path.basename(word) for one in found.others if one.kind == "tool" for word in one.argv)
        return cls(repository, frozenset(found.written), named)

    def as_read(self, invocation: Invocation, start: Launch) -> Invocation:
        """The invocation without the digests of inputs that may have held something else when it started."""
        inputs = dict(invocation.inputs)
        for name in inputs if start.later or self.code else ():
            path = JailFiles(self.repository).real(os.path.join(start.cwd, name))
            later = any(f"{each}/".startswith(f"{path}/") for each in (*start.later, *self.later))
            if later or self._had_no_effect(path):
                inputs[name] = CHANGED_LATER
        return replace(invocation, inputs=inputs)

    def went(self, invocation: Invocation, start: Launch) -> None:
        """Take note that this was asked: Python code may have written files."""
        if invocation.how == "code":
            self.code = True
            self.later += start.later

    def _had_no_effect(self, path: str) -> bool:
        """Whether a tool was given a file that Python code makes only when the shell has been followed."""
        if not self.code or path in self.written or os.path.basename(path) not in self.named:
            return False
        return not os.path.lexists(f"{self.repository}{path.removeprefix(WORKSPACE)}")
