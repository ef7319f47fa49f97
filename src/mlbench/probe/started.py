"""What a candidate's Python code starts: noted by the check instead of run, and followed as if a shell had started it.

`subprocess`, `os.system`, `os.popen`, `os.exec*` and `runpy` are covered, for calls that the candidate's own text makes:
for it they succeed and print nothing.
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
    from collections.abc import Callable, Iterator

MOST = 50
LIBRARY = os.path.dirname(os.__file__)
HERE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def noted(starts: list[dict[str, Any]], file: str) -> Iterator[None]:
    """Note in `starts` what the code of `file` starts: shell text, folder, and the variables that it sets or changes."""
    before = dict(os.environ)
    popen, system, run_path, run_module = subprocess.Popen, os.system, runpy.run_path, runpy.run_module
    execs = {name: getattr(os, name) for name in dir(os) if name.startswith("exec")}

    def note(text: str, cwd: Any = None, env: Any = None) -> None:
        variables = {os.fsdecode(name): os.fsdecode(value) for name, value in (os.environ if env is None else env).items()}
        changed = {name: value for name, value in variables.items() if before.get(name) != value}
        folder = os.path.abspath(os.fsdecode(cwd)) if cwd else os.getcwd()
        if len(starts) < MOST:
            starts.append({"text": text, "cwd": folder, "env": changed})

    class Noted(popen):  # type: ignore[misc, valid-type]  # what asks for its class finds the one it knows
        def __init__(self, args: Any, *rest: Any, **named: Any) -> None:
            if not _asked_by(file):
                popen.__init__(self, args, *rest, **named)
                return
            shell = bool(named.get("shell"))
            text = args if isinstance(args, (str, bytes)) else None
            words = [os.fsdecode(text)] if text is not None else [os.fsdecode(word) for word in args]
            note(words[0] if shell else shlex.join(_plain(words)), named.get("cwd"), named.get("env"))
            self.args, self.pid, self.returncode, self.stdin = args, 0, 0, None
            self.text = any(named.get(name) for name in ("text", "universal_newlines", "encoding", "errors"))
            piped = {name: named.get(name) == subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
            for name, wanted in piped.items():
                setattr(self, name, (io.StringIO() if self.text else io.BytesIO()) if wanted else None)
            self.noted = True

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: object) -> None:
            if not hasattr(self, "noted"):
                popen.__exit__(self, *error)

        def __del__(self) -> None:
            if not hasattr(self, "noted") and hasattr(self, "_child_created"):
                popen.__del__(self)

        def communicate(self, *args: Any, **named: Any) -> Any:
            if not hasattr(self, "noted"):
                return popen.communicate(self, *args, **named)
            nothing = "" if self.text else b""
            return (nothing if self.stdout else None), (nothing if self.stderr else None)

        def wait(self, *args: Any, **named: Any) -> Any:
            return 0 if hasattr(self, "noted") else popen.wait(self, *args, **named)

        def poll(self) -> Any:
            return 0 if hasattr(self, "noted") else popen.poll(self)

        def send_signal(self, number: int) -> None:
            if not hasattr(self, "noted"):
                popen.send_signal(self, number)

    def by_shell(command: Any) -> int:
        if not _asked_by(file):
            return system(command)
        note(os.fsdecode(command))
        return 0

    def by_path(path: Any, *args: Any, **named: Any) -> Any:
        if not _asked_by(file):
            return run_path(path, *args, **named)
        note(shlex.join(["python", os.fsdecode(path), *map(str, sys.argv[1:])]))
        return {}

    def by_module(name: str, *args: Any, **named: Any) -> Any:
        if not _asked_by(file):
            return run_module(name, *args, **named)
        note(shlex.join(["python", "-m", str(name), *map(str, sys.argv[1:])]))
        return {}

    def replaced(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def execute(path: Any, *args: Any) -> Any:
            if not _asked_by(file):
                return original(path, *args)
            env = args[-1] if name.endswith("e") else None
            args = args[:-1] if name.endswith("e") else args
            words = args if "l" in name[4:] else args[0]
            note(shlex.join(_plain([os.fsdecode(path), *map(os.fsdecode, words[1:])])), env=env)
            raise SystemExit(0)

        return execute

    subprocess.Popen, os.system, runpy.run_path, runpy.run_module = Noted, by_shell, by_path, by_module  # type: ignore[misc, assignment]
    for name, original in execs.items():
        setattr(os, name, replaced(name, original))
    try:
        yield
    finally:
        subprocess.Popen, os.system, runpy.run_path, runpy.run_module = popen, system, run_path, run_module  # type: ignore[misc]
        for name, original in execs.items():
            setattr(os, name, original)


def _plain(words: list[str]) -> list[str]:
    """This interpreter by its name: where it lies is no matter."""
    return ["python" if words and words[0] == sys.executable else words[0], *words[1:]] if words else words


def _asked_by(file: str) -> bool:
    """Whether the code of `file` asks for it, not a library or the repository: the innermost frame of neither kind."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name == file:
            return True
        library = name.startswith((LIBRARY, HERE, "<frozen")) and "site-packages" not in name
        if not library:
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return False
