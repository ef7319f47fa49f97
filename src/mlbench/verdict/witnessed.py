"""Which of the processes that really ran is a program of the repository, and can its word be taken. Nothing runs here.

A process is believed where its image is the environment's interpreter, found by its regular name, and where neither
its variables nor its options let anybody run code before the recorder, and where the recorder reported no foreign code.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import StrEnum

from mlbench.types import Invocation, Process, Status, Witness

PROGRESS_SECONDS = 0.5
"""Processor time after parsing from which a program that still runs at the time limit counts as running: four times
an import of numpy. Less counts where it has written something since, to a file or as output.
"""

_BIN = "/opt/env/bin"
_READ_ONLY = ("/opt/", "/usr/", "/lib/", "/lib64/")
_HARMLESS = {
    "PYTHONPATH",  # its folders are looked at where the process starts
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONNOUSERSITE",
    "PYTHONFAULTHANDLER",
    "PYTHONTRACEMALLOC",
    "PYTHONSAFEPATH",
    "PYTHONOPTIMIZE",
    "PYTHONWARNINGS",  # as `-W`
    "PATH",  # looked at with the program's name
}
_HARMLESS_X = {"dev", "utf8", "faulthandler", "tracemalloc", "importtime", "int_max_str_digits"}
_WITH_VALUE = "cmWX"  # options of Python that take a word; the first two end its options


class State(StrEnum):
    FINISHED = "finished"  # exit 0
    RUNNING = "running"  # at the time limit, with evidence of progress after parsing
    STALLED = "stalled"  # at the time limit, without
    FAILED = "failed"


@dataclass(frozen=True)
class Run:
    """A witnessed run of a program of the repository, or of a Python answer: what it parsed or called, how it ended."""

    process: Process
    invocation: Invocation
    state: State


def claimed(witness: Witness) -> tuple[Run, ...]:
    """Every run of the repository's own that a recorder reports, trusted or not, in the order of their starts."""
    found = []
    for process in witness.processes:
        accepted = [each for each in process.invocations if each.status is Status.ACCEPTED and _own(each)]
        if accepted:
            found.append(Run(process, accepted[-1], state(process)))
    return tuple(found)


def runs(witness: Witness) -> tuple[Run, ...]:
    """Every run of the repository's own whose word can be taken, in the order of their starts.

    Of several parses in one process the last counts.
    """
    return tuple(run for run in claimed(witness) if not mistrust(run.process))


def _own(invocation: Invocation) -> bool:
    """Not a program of Python's library, or of another folder: those are named by where they stand."""
    return not invocation.program.startswith("/")


def state(process: Process) -> State:
    """How a process that parsed ended. `progress` is there only where it still ran at the end of the execution."""
    if process.exit_code is not None:
        return State.FAILED if process.exit_code else State.FINISHED
    if process.progress.get("cpu", 0.0) >= PROGRESS_SECONDS or process.progress.get("written", 0.0) > 0:
        return State.RUNNING
    return State.STALLED


def mistrust(process: Process) -> tuple[str, ...]:
    """Why what the recorder in a process says cannot be believed; empty where it can."""
    return (*process.dishonest, *_by_name(process), *_by_variables(process.env), *_by_options(process.argv))


def _by_name(process: Process) -> list[str]:
    """Python takes its folders from the name by which it was started, not from the file that is executed."""
    name = process.argv[0] if process.argv else ""
    if "/" in name:
        path = name if name.startswith("/") else f"{process.cwd}/{name}"
        found = posixpath.dirname(path)
    else:
        found = process.env.get("PATH", "").split(":")[0]
    return [] if posixpath.normpath(found) == _BIN and ".." not in found else [f"started as another Python: {name}"]


def _by_variables(env: dict[str, str]) -> list[str]:
    found = []
    for name, value in env.items():
        if name == "LD_LIBRARY_PATH" and all(entry.startswith(_READ_ONLY) for entry in value.split(":") if entry):
            continue
        if name not in _HARMLESS:
            found.append(f"{name} is set")
        elif name == "PYTHONWARNINGS" and _imports(value):
            found.append(f"{name} names a class: {value}")
    return found


def _imports(warnings: str) -> bool:
    """Whether a filter names a category that has to be imported: `action:message:category:module:line`."""
    return any("." in (filter_.split(":") + [""] * 3)[2] for filter_ in warnings.split(","))


def _by_options(argv: tuple[str, ...]) -> list[str]:
    found = []
    for option, value in python_options(argv):
        if option == "S":
            found.append("-S starts Python without its recorder")
        elif option in ("c", "-"):
            found.append("it runs code from its command line or its input")
        elif option in "ix":
            found.append(f"-{option} runs something else than the program")
        elif option == "X" and re.split(r"[=]", value)[0] not in _HARMLESS_X:
            found.append(f"-X {value} changes where Python finds its code")
        elif option == "W" and _imports(value):
            found.append(f"-W {value} names a class")
    return found


def python_options(argv: tuple[str, ...]) -> list[tuple[str, str]]:
    """The options of an interpreter's command line, each with its value; `-` where the program is its input."""
    found: list[tuple[str, str]] = []
    words = list(argv[1:])
    while words:
        word = words.pop(0)
        if word == "-":
            return [*found, ("-", "")]
        if not word.startswith("-"):
            return found
        if word.startswith("--"):
            if word == "--check-hash-based-pycs" and words:
                words.pop(0)
            continue
        letters = word[1:]
        for place, letter in enumerate(letters):
            if letter in _WITH_VALUE:
                value = letters[place + 1 :] or (words.pop(0) if words else "")
                found.append((letter, value))
                if letter in "cm":
                    return found
                break
            found.append((letter, ""))
    return [*found, ("-", "")]
