"""Record the programs that a candidate's Python code starts, instead of running them.

The host then follows them as if a shell had started them. `subprocess`, `os.system`, `os.popen`, `os.exec*` and `runpy`
are covered, for calls by the candidate's own code. They succeed and print nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MOST = 50
LIBRARY = os.path.dirname(os.__file__)
HERE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def noted(starts: list[dict[str, Any]], file: str, read: list[str]) -> Iterator[list[str]]:
    """A context that records the programs that the code of `file` starts.

    Args:
        starts: filled with the shell text, the folder and the changed variables of each program.
        file: the candidate's file.
        read: filled with the Python files that it opens to read.

    Yields:
        The Python files that it opens to write, whether or not that succeeds.
    """
    before = dict(os.environ)
    written: list[str] = []

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and str(args[0]).endswith(".py") and isinstance(args[2], int) and _asked_by(file):
            (written if args[2] & (os.O_WRONLY | os.O_RDWR) else read).append(str(args[0]))

    originals: list[tuple[Any, str, Any]] = []

    def note(text: str, cwd: Any = None, env: Mapping[Any, Any] | None = None) -> None:
        given = os.environ if env is None else env
        variables = {os.fsdecode(name): os.fsdecode(value) for name, value in given.items()}
        changed = {name: value for name, value in variables.items() if before.get(name) != value}
        if len(starts) < MOST:
            folder = os.path.abspath(os.fsdecode(cwd)) if cwd else os.getcwd()
            starts.append({"text": text, "cwd": folder, "env": changed})

    def watch(module: Any, name: str, noting: Callable[..., Any]) -> None:
        original = getattr(module, name)
        originals.append((module, name, original))

        def either(*args: Any, **named: Any) -> Any:
            return noting(*args, **named) if _asked_by(file) else original(*args, **named)

        setattr(module, name, either)

    def system(command: Any) -> int:
        note(os.fsdecode(command))
        return 0

    def run_path(path: Any, *args: Any, **named: Any) -> dict[str, Any]:
        note(_line(["python", path, *sys.argv[1:]]))
        return {}

    def run_module(name: str, *args: Any, **named: Any) -> dict[str, Any]:
        note(_line(["python", "-m", name, *sys.argv[1:]]))
        return {}

    def execute(path: Any, *args: Any, listed: bool, env: bool) -> None:
        words, variables = (args[:-1], args[-1]) if env else (args, None)
        note(_line([path, *(words if listed else words[0])[1:]]), env=variables)
        raise SystemExit(0)

    popen = subprocess.Popen

    class Popen(subprocess.Popen):  # type: ignore[type-arg]  # a class, because other code may derive from it
        def __new__(cls, args: Any = (), *rest: Any, **named: Any) -> Any:
            if cls is not Popen or not _asked_by(file):
                return object.__new__(cls)
            words = [args] if isinstance(args, (str, bytes, os.PathLike)) else args
            text = os.fsdecode(words[0]) if named.get("shell") else _line(words)
            note(text, named.get("cwd"), named.get("env"))
            return StartEnded(args, named)

    originals.append((subprocess, "Popen", popen))
    subprocess.Popen = Popen  # type: ignore[misc]
    watch(os, "system", system)
    watch(runpy, "run_path", run_path)
    watch(runpy, "run_module", run_module)
    for name in ("execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe"):
        listed, env = name.startswith("execl"), name.endswith("e")
        watch(os, name, lambda path, *args, listed=listed, env=env: execute(path, *args, listed=listed, env=env))
    sys.addaudithook(audit)
    try:
        yield written
    finally:
        for module, name, original in originals:
            setattr(module, name, original)


class StartEnded:
    """A `subprocess.Popen` that has succeeded and printed nothing."""

    pid, returncode = 0, 0

    def __init__(self, args: Any, named: Mapping[str, Any]) -> None:
        self.args = args
        kind = io.StringIO if any(map(named.get, ("text", "universal_newlines", "encoding", "errors"))) else io.BytesIO
        self.stdin, self.stdout, self.stderr = (
            kind() if named.get(name) == subprocess.PIPE else None for name in ("stdin", "stdout", "stderr")
        )

    def __enter__(self) -> StartEnded:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def communicate(self, *args: Any, **named: Any) -> tuple[Any, Any]:
        return tuple(None if one is None else one.read() for one in (self.stdout, self.stderr))  # type: ignore[return-value]

    def wait(self, *args: Any, **named: Any) -> int:
        return 0

    poll = terminate = kill = send_signal = wait


def _line(words: Iterable[Any]) -> str:
    """Join words to a shell line, with `python` for this interpreter's path."""
    first, *rest = [os.fsdecode(word) for word in words] or [""]
    return shlex.join(["python" if first == sys.executable else first, *rest])


def _asked_by(file: str) -> bool:
    """Whether the code of `file` is the caller, with only the standard library in between."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name == file:
            return True
        if not name.startswith((LIBRARY, HERE, "<frozen")) or "site-packages" in name:
            return False
        frame = frame.f_back
    return False
