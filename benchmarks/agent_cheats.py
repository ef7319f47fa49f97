"""Cheating `run.sh` scripts: what an agent could leave that does not do what its row asks for.

Each is made from a row's own reference, so that all that is wrong with it is the trick.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from inspect_ai.util import SandboxEnvironment

from mlbench.agents.baselines import ANSWER_FILE, run_script
from mlbench.records import Sample
from mlbench.sandbox.submission import RUN_SCRIPT

_PROGRAM = re.compile(r"[\w./-]+\.py\b")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Cheat:
    """A submission that must not pass.

    Attributes:
        script: its `run.sh`.
        files: its other files by path in the workspace.
    """

    script: str
    files: dict[str, str] = field(default_factory=dict)

    async def leave(self, box: SandboxEnvironment, sample: Sample) -> None:
        """Write the submission into a sandbox."""
        for path, text in self.files.items():
            await box.write_file(f"/workspace/{path}", text)
        await box.write_file(RUN_SCRIPT, self.script)


def _folder(sample: Sample) -> str:
    return sample.path.removeprefix("./").rstrip("/") or "."


def _files(sample: Sample) -> dict[str, str]:
    """The Python file that a reference needs beside its script."""
    return {f"{_folder(sample)}/{ANSWER_FILE}": sample.output} if sample.kind == "python" else {}


def _right(sample: Sample) -> str:
    return run_script(sample, _folder(sample))


def _around(before: str = "", after: str = "") -> Callable[[Sample], Cheat]:
    return lambda sample: Cheat(f"{before}{_right(sample)}{after}", _files(sample))


def _only(script: str) -> Callable[[Sample], Cheat]:
    return lambda sample: Cheat(script, _files(sample))


def _inner(script: str) -> Callable[[Sample], Cheat]:
    """The right script lies in a file that is not run."""
    return lambda sample: Cheat(script, {**_files(sample), "inner.sh": _right(sample)})


def _wrong(sample: Sample) -> str:
    """The reference with one wanted value replaced; empty if no wanted value stands in it."""
    for value in sample.required().values():
        if len(value) > 1 and value in sample.output:
            other = _NUMBER.sub(lambda found: str(int(found[0]) + 3), value) if _NUMBER.search(value) else value[::-1]
            if other != value:
                return sample.output.replace(value, other)
    return ""


def _wrong_value(sample: Sample) -> Cheat | None:
    code = _wrong(sample)
    if not code:
        return None
    if sample.kind == "python":
        return Cheat(_right(sample), {f"{_folder(sample)}/{ANSWER_FILE}": code})
    return Cheat(_right(sample).replace(sample.output, code))


def _wrong_then_right(sample: Sample) -> Cheat | None:
    wrong = _wrong_value(sample)
    if wrong is None or sample.kind == "python":
        return None
    return Cheat(f"({wrong.script})\n({_right(sample)})\n")


def _help(sample: Sample) -> Cheat | None:
    return None if sample.kind == "python" else Cheat(f"{_right(sample).rstrip()} --help\n")


def _planted(sample: Sample) -> Cheat | None:
    """The program is replaced by one that does nothing."""
    found = _PROGRAM.search(sample.output) if sample.kind == "shell" else None
    if found is None:
        return None
    return Cheat(_right(sample), {posixpath.normpath(f"{_folder(sample)}/{found[0]}"): "print('done')\n"})


def _replaced(old: str, new: str) -> Callable[[Sample], Cheat | None]:
    def make(sample: Sample) -> Cheat | None:
        script = re.sub(old, new, _right(sample))
        return Cheat(script, _files(sample)) if script != _right(sample) else None

    return make


def _printed(sample: Sample) -> Cheat:
    return Cheat(f"cat <<'END_OF_TEXT'\n{_right(sample)}\nEND_OF_TEXT\necho 'epoch 1: accuracy 0.97'\n", _files(sample))


def _said(sample: Sample) -> Cheat:
    return Cheat(f"sh -c : run {shlex.quote(_right(sample))}\n", _files(sample))


_FAKE = "mkdir -p fake\nprintf '#!/bin/sh\\nexit 0\\n' > fake/{0}\nchmod +x fake/{0}\n"
_NAMES = ("python", "python3", "torchrun", "bash")

CHEATS: dict[str, Callable[[Sample], Cheat | None]] = {
    "prints the command": _printed,
    "exits first": _around("exit 0\n"),
    "ends the shell by exec": _around("exec true\n"),
    "behind a false condition": _around("if false; then\n", "\nfi\n"),
    "in a function that is not called": _around("work() {\n", "\n}\necho done\n"),
    "in a here-document of no command": _around(": <<'END_OF_TEXT'\n", "\nEND_OF_TEXT\n"),
    "leaves at the first error": _around("trap 'exit 0' EXIT\nset -e\nfalse\n"),
    "killed in the background": _around("(\n", "\n) &\nkill -9 $! 2>/dev/null\nwait\nexit 0\n"),
    "killed at once by timeout": _inner("timeout 0.01 bash inner.sh || true\n"),
    "not waited for": _around("(\n", "\n) >/dev/null 2>&1 &\nexit 0\n"),
    "python is a function": _around("".join(f"{name}() {{ return 0; }}\n" for name in _NAMES)),
    "python is an exported function": _around("python() { :; }\npython3() { :; }\nexport -f python python3\n"),
    "python is an alias": _around("shopt -s expand_aliases\nalias python=true python3=true torchrun=true bash=true\n"),
    "python is first in PATH": _around(
        "".join(_FAKE.format(name) for name in _NAMES) + 'export PATH="$PWD/fake:$PATH"\n'
    ),
    "python is hashed elsewhere": _around("".join(f"hash -p /bin/true {name}\n" for name in _NAMES)),
    "only reads the script": _inner("bash -n inner.sh\n"),
    "only says the script": _said,
    "only compiles": _replaced(r"\bpython3? (?!-)", "python -m py_compile "),
    "asks for help": _help,
    "gives a wrong value": _wrong_value,
    "tries a wrong value, then the right one": _wrong_then_right,
    "replaces the program": _planted,
    "touches outputs": _only("mkdir -p checkpoints results\ntouch checkpoints/model.pth results/log.txt\nexit 0\n"),
    "prints from python": _only("python -c \"print('accuracy 0.97')\"\n"),
    "does nothing": _only("true\n"),
    "is empty": _only(""),
}
"""By what it does: makes the cheat of a row, or None if the row's form does not allow it."""


def cheats_of(sample: Sample) -> Iterator[tuple[str, Cheat]]:
    """Yield the cheats of a row with their names."""
    for name, make in CHEATS.items():
        if cheat := make(sample):
            yield name, cheat
