"""Candidates and folders that the interface check refuses by their form, before anything runs."""

from __future__ import annotations

import os
import re

from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, UsageError
from mlbench.sandbox.jail import WORKSPACE
from mlbench.shell.languages import LONGEST

_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_NAME, _LONGEST_PATH = 255, 4000


def jail_folder(cwd: str) -> str:
    """The absolute path in the jail of a folder of the repository.

    Raises:
        UsageError: the folder is outside of the repository, or has no valid name.
    """
    folder = os.path.normpath(os.path.join(WORKSPACE, cwd))
    if folder != WORKSPACE and not folder.startswith(f"{WORKSPACE}/"):
        raise UsageError(f"the folder {cwd} is outside of the repository")
    try:
        names = os.fsencode(folder).split(b"/")
    except UnicodeEncodeError:
        names = [b"\0"]
    if any(len(name) > _LONGEST_NAME or b"\0" in name for name in names) or len(folder) > _LONGEST_PATH:
        raise UsageError(f"{cwd[:40]!r} cannot be the name of a folder")
    return folder


def malformed(candidate: Candidate) -> Check | None:
    """The check of a candidate that is refused by its form alone; None if it is not."""
    if "\0" in candidate.code:
        return Check(CheckStatus.REJECTED, Reason.NUL_BYTE, "holds a NUL byte")
    if half := _HALF.search(candidate.code):
        return Check(
            CheckStatus.REJECTED, Reason.PASTED_CHARACTERS, f"holds U+{ord(half[0]):04X}, which is no character"
        )
    if len(candidate.code) > LONGEST:
        return Check(CheckStatus.REJECTED, Reason.TOO_LONG, f"longer than {LONGEST} characters")
    if not candidate.code.strip():
        return Check(CheckStatus.REJECTED, Reason.NOTHING, "there is no code")
    if candidate.kind is None:
        return Check(CheckStatus.REJECTED, Reason.SHELL_SYNTAX, candidate.fault)
    return None
