"""Inputs that a command names and the repository does not hold, such as `./data/photo.png`.

A checkout has no data. So a parser that asks whether an input exists is told so, and the answer notes it. A name that
the repository knows in another folder, or that is missing among its own files of that kind, stays missing.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import linecache
import os
import re
import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

IS_MISSING = re.compile(
    r"no such file|not exist|n't exist|not found|not present"
    r"|can(?:'|no)t (?:open|find|read)|could(?: not|n't) (?:open|find|read)"
    r"|\bno (?:\w+ ){1,2}(?:(?:were|was) )?found"
    r"|not (?:a |an )?(?:valid |existing )*(?:file|dir|folder|path)|missing (?:file|dir|folder|path)",
    re.IGNORECASE,
)
"""Messages about a file or folder that is not there."""
_ASSERTED = re.compile(r"\s*assert\s+\(?(?!not\b).*\b(?:is_?dir|is_?file|exists)\(")
_PATH = re.compile(r"[^\s]*(?:/[^\s]*|\.[A-Za-z]\w{0,9})")
_WORD = re.compile(r"[^\s'\"`(),\[\]]+")
_NAMED = re.compile(r"(?!.*://)(?:[^\s]*/[^\s]*|[^\s]*\.[a-z][a-z0-9]{1,5})")
"""A word of a message that is a path, and no address or dotted name: `data/train.csv`, `qm9.db`, not `nn.Linear`."""
_OWN_KINDS = (".py", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".sh", ".gin", ".conf")
_SEARCHES = ("glob.glob", "os.listdir", "os.scandir")  # audit events
_MOST_SEARCHES = 1000
_MAGIC = re.compile(r"[*?[]")
_ENTRIES = 50_000  # files and folders that are looked at
_FILE = os.path.abspath(__file__)


def is_assumed(name: str, root: str) -> bool:
    """Whether a missing file or folder may be an input of the user.

    Args:
        name: as written, relative to the present folder.
        root: the repository's folder, with a slash at its end.
    """
    try:
        path = os.path.abspath(name)
        if not name or os.path.lexists(path):
            return False
    except ValueError:  # it holds a NUL byte
        return False
    if not path.startswith(root):
        return True
    folder, suffix = os.path.dirname(path), os.path.splitext(path)[1]
    with contextlib.suppress(OSError):
        if suffix in _OWN_KINDS and any(each.endswith(suffix) for each in os.listdir(folder)):
            return False
    ending = "/" + os.path.normpath(name).lstrip("./")
    return not any(each.endswith(ending) for each in _paths(root.rstrip("/")))


def named(message: str, file: Any, root: str) -> str:
    """The missing file or folder that an error is about, if it may be an input of the user; else empty.

    Args:
        message: of the error.
        file: its file name, if it has one.
        root: the repository's folder, with a slash at its end.
    """
    words = [os.fsdecode(file)] if isinstance(file, (str, bytes)) else _WORD.findall(message)
    words = [word.rstrip(".,:;!?") for word in words]
    return next((word for word in words if _NAMED.fullmatch(word) and is_assumed(word, root)), "")


def noted(name: str) -> str:
    """The note about an input that is taken for granted."""
    return f"{name} is not in the repository: the check assumes an input that is there"


def converted(convert: Callable[[], Any], word: Any, error: BaseException, recorder: Any) -> tuple[Any, ...]:
    """Convert a word again as if its file or folder existed; return the value in a tuple, empty if it is refused.

    Args:
        convert: the conversion, which has raised an error.
        word: the word.
        error: the error.
        recorder: notes the assumption.
    """
    if not isinstance(word, str) or not (_PATH.fullmatch(word) or IS_MISSING.search(str(error))):
        return ()
    if not is_assumed(word, recorder.root):
        return ()
    kinds = (_FILE, os.path.dirname(_FILE))
    for kind in kinds if os.path.splitext(word)[1] else reversed(kinds):
        with _pretended(word, kind), contextlib.suppress(Exception):
            value = convert()
            recorder.note(noted(word))
            return (value,)
    return ()


def refused(message: str, answer: Any, recorder: Any) -> str:
    """The input whose absence a program refuses after it has parsed; empty if it refuses something else.

    Args:
        message: of the program.
        answer: what was parsed.
        recorder: knows the repository's folder.
    """
    if not IS_MISSING.search(message):
        return ""
    values = [answer["configuration"].get(name) for name in answer["given"]]
    words = [each for value in values for each in (value if isinstance(value, list) else [value])]
    words = [each["value"] if isinstance(each, dict) and each.get("!") in ("path", "file") else each for each in words]
    paths = [each for each in words if isinstance(each, str) and (repr(each) in message or _PATH.fullmatch(each))]
    paths.sort(key=lambda each: each not in message)
    given = next((each for each in paths if is_assumed(each, recorder.root)), "")
    return given or named(message, None, recorder.root)


def is_asserted(error: BaseException | None) -> bool:
    """Whether an assertion failed that a file or folder is there: `assert os.path.isdir(args.data), args.data`."""
    if not isinstance(error, AssertionError) or (trace := error.__traceback__) is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return _ASSERTED.match(linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)) is not None


class Searches:
    """The folders in which a program looks for files once it has parsed."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._begun = False

    def begin(self) -> None:
        """Watch from here on; calling it again changes nothing."""
        if not self._begun:
            self._begun = True
            sys.addaudithook(self._heard)

    def _heard(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _SEARCHES and isinstance(args[0], str) and len(self._names) < _MOST_SEARCHES:
            self._names.append(args[0])

    def in_vain(self, root: str) -> str:
        """The first searched folder that may be an input of the user; empty if there is none."""
        folders = (
            name[: found.start()].rpartition("/")[0] if (found := _MAGIC.search(name)) else name
            for name in tuple(self._names)
        )
        return next((folder for folder in folders if is_assumed(folder, root)), "")


@contextlib.contextmanager
def _pretended(name: str, kind: str) -> Iterator[None]:
    """Let a path exist: with the properties of `kind`, a file or a folder, and without content."""
    wanted = os.path.abspath(name)
    kept = os.stat, os.lstat, os.access, builtins.open, io.open

    def is_meant(path: Any) -> bool:
        return isinstance(path, (str, os.PathLike)) and os.path.abspath(os.fspath(path)) == wanted

    def instead(original: Any) -> Any:
        return lambda path, *args, **named: original(kind if is_meant(path) else path, *args, **named)

    def open_empty(file: Any, mode: str = "r", *args: Any, **named: Any) -> Any:
        if is_meant(file) and kind == _FILE and set(mode).isdisjoint("wax+"):
            named["opener"] = lambda path, flags: os.open(os.devnull, os.O_RDONLY)  # keeps the file's name
        return kept[3](file, mode, *args, **named)

    os.stat, os.lstat, os.access = map(instead, kept[:3])
    builtins.open = io.open = open_empty
    try:
        yield
    finally:
        os.stat, os.lstat, os.access, builtins.open, io.open = kept


def _paths(root: str) -> Iterator[str]:
    """The paths of a repository's files and folders, up to a limit."""
    left = _ENTRIES
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if each not in (".git", "__pycache__", "node_modules")]
        for name in (*folders, *files):
            yield f"{folder}/{name}"
            left -= 1
            if left < 0:
                return
