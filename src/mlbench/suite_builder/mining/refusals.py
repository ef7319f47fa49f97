"""Why a piece of code is left out: what the check says of it, and what the repository lacks."""

from __future__ import annotations

import posixpath
import re
from typing import Literal

from mlbench.reasons import Reason
from mlbench.records import Check, CheckStatus, Kind
from mlbench.repositories.documents import readable_text
from mlbench.repositories.missing_parts import is_pointer, submodules
from mlbench.sandbox.jail import WORKSPACE
from mlbench.suite_builder.mining.check_snippets import CheckRequest
from mlbench.suite_builder.mining.commands import last_command, started, words_of
from mlbench.suite_builder.mining.missing_files import missing_file
from mlbench.suite_builder.mining.placeholders import unset_filled
from mlbench.suite_builder.mining.working_dirs import WorkingDirs
from mlbench.suite_builder.types import BuildDecision

_PLACE_FAULTS = frozenset(
    {"invalid-choice", "invalid-type", "no-such-file", "no-such-folder", "placeholder", "raised", "missing-argument"}
)
_NEEDS_FILES = re.compile(r"FileNotFoundError|NotADirectoryError|URLError|name resolution|ConnectionError")
_IS_A_FILE = re.compile(r"\.py: permission denied, the file is not executable")
_UNDECIDED = {"reads-argv-by-hand": "the program reads sys.argv itself; nothing tells which values it takes"}
_FETCHES = re.compile(r"\b(?:wget|curl|gdown|aria2c|unzip|tar|gsutil|huggingface-cli|rsync|aws s3|azcopy|rclone)\b")
_RUNS = re.compile(r"python|\.py\b|torchrun|\baccelerate\b|deepspeed|(?<![\w./])(?:ba|z)?sh\s+\S+\.sh|\bsource\b")
_COMMENT = re.compile(r"(?m)^[ \t]*#.*$")
_CUT = "argument expected for the -m option"
_ABSENT = re.compile(r"there is no (\S+)")
_NOT_EXECUTABLE = "permission denied, the file is not executable"


def left_out(subject: str, code: str, kind: Kind | Literal[""], reason: str, why: str, like: str = "") -> BuildDecision:
    """The decision against a piece of code; `like` is another one that it resembles."""
    return BuildDecision("tasks", subject, False, reason, why, code, kind, like)


def refused(want: CheckRequest, folder: str, check: Check, places: WorkingDirs) -> BuildDecision:
    """The decision on a piece of code that the check does not accept.

    Args:
        want: the piece of code.
        folder: where it was tried.
        check: what the check said.
        places: the repository's folders.
    """
    reason, message = check.reason or check.status.value, " ".join(check.message.split())[:300]
    if part := _missing_part(want, folder, places, message):
        reason, message = "not-fetched", part
    elif _NOT_EXECUTABLE in message and not _IS_A_FILE.search(message):
        reason = "not-executable"
    elif message.endswith(_CUT):
        reason = "no-command"
    elif reason == Reason.NO_SUCH_FILE and _missing_configuration(want, folder, places):
        reason = "no-such-configuration"
    elif check.status is CheckStatus.REJECTED and _lacks_program(reason, message):
        there = _program(want, folder) in places.files  # else a script lacks something
        reason = "no-such-file" if there else "no-such-program"
    elif reason in (Reason.CANNOT_FOLLOW, Reason.USAGE) and _only_fetches(want, folder, places):
        reason = "downloads"
    elif reason in ("no-such-file", "no-such-module") and places.is_guess(want.block.page, folder):
        reason, message = "no-such-program", f"which is a guess: the page names no folder that has it; {message}"
    elif reason == Reason.USAGE and check.invocations and check.invocations[-1].parser == "docopt":
        reason = "not-as-in-usage"
    elif want.replaced and reason in _PLACE_FAULTS:
        reason = "placeholder"
    elif _IS_A_FILE.search(message) and not want.code.strip().count(" "):
        reason, message = "no-command", "it is the name of a file, not a command"
    elif check.status is CheckStatus.REJECTED and _NEEDS_FILES.search(message):
        reason = "needs-files"
    elif check.status is not CheckStatus.REJECTED:
        message = message or _UNDECIDED.get(reason, "")
        reason = f"{check.status.value}: {reason}"
    return left_out(want.subject, want.code, want.kind, reason, f"in {folder}: {message}")


def _missing_configuration(want: CheckRequest, folder: str, places: WorkingDirs) -> str:
    """The configuration that a command names and the repository has not, or no longer."""
    filled_in = [value.strip("'\"") for _, value in want.replaced]
    words = words_of(last_command(want.code).replace("\\\n", " "))
    return missing_file(words, places.repository / folder, filled_in) if want.kind == "shell" else ""


def _only_fetches(want: CheckRequest, folder: str, places: WorkingDirs) -> bool:
    """Whether a command starts a shell script that brings something and runs nothing of the repository."""
    found = started(words_of(want.code.rpartition("\n")[2])) if want.kind == "shell" else None
    file = (
        places.repository / folder / found.name if found is not None and found.name.endswith((".sh", ".bash")) else None
    )
    if file is None or not file.is_file():
        return False
    text = _COMMENT.sub("", readable_text(file))
    return _FETCHES.search(text) is not None and _RUNS.search(text) is None


def _lacks_program(reason: str, message: str) -> bool:
    return reason == "no-such-program" or (reason == "no-such-file" and message.startswith("there is no "))


def _program(want: CheckRequest, folder: str) -> str:
    """The path of the file that a command starts; empty if it starts none by its path."""
    found = started(words_of(unset_filled(want.code.rpartition("\n")[2]).code)) if want.kind == "shell" else None
    return "" if found is None or found.run == "module" else posixpath.normpath(posixpath.join(folder, found.name))


def _missing_part(want: CheckRequest, folder: str, places: WorkingDirs, message: str) -> str:
    """Why a program that a command starts is missing, if the repository has it: a submodule, or a Git LFS pointer."""
    program = _program(want, folder)
    if program and is_pointer(places.repository / program):
        return f"{program} is a Git LFS pointer; its content was not fetched"
    if named := _ABSENT.match(message):  # a script of the command starts it
        path = named[1].removeprefix(f"{WORKSPACE}/") if named[1].startswith("/") else posixpath.join(folder, named[1])
        program = posixpath.normpath(path)
    module = next((path for path in submodules(places.repository) if program.startswith(f"{path}/")), "")
    return f"{module} is a submodule that was not fetched" if module else ""
