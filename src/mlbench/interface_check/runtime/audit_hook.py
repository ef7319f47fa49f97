"""The audit hook of a watched interpreter: which of the repository's files run, and when the Python answer starts."""

import sys
from _thread import get_ident

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WORKSPACE, PRISTINE, PROBE, TOOLS = "/workspace/", "/opt/repository/", "/opt/probe/", "/opt/tools/"

TRUSTED = (sys.base_prefix + "/", "/opt/env/", TOOLS, PROBE, PRISTINE, "/usr/lib/")  # nobody can write there

MOST_TOLD = 500


class AuditHook:
    """Reports which of the repository's files run, and notices the start of the Python answer."""

    def __init__(
        self, send: "Callable[..., None]", answer: str, digest: str, have_package: "Callable[[], None]"
    ) -> None:
        self.send, self.have_package = send, have_package
        self.answer, self.digest = answer, digest
        self.begun = False
        self.told: set[str] = set()
        self.busy: set[int] = set()  # threads inside the hook

    def hook(self, event: str, args: "tuple[Any, ...]") -> None:
        """Handle one audit event. Called thousands of times, so it returns early."""
        if event == "exec":
            if args[0].co_name != "<module>" or trusted(args[0].co_filename):
                return
        elif event != "mlbench.answer":
            return
        if (thread := get_ident()) in self.busy:
            return
        self.busy.add(thread)  # reading files raises events as well
        try:
            if event == "exec":
                self.use(real(args[0].co_filename))
            else:
                self.answered(*args)
        finally:
            self.busy.discard(thread)

    def use(self, path: str) -> None:
        """Report a module that runs, if it is the repository's or an identical copy."""
        found = original(path)
        if not found or found in self.told or len(self.told) >= MOST_TOLD:
            return
        if (path == found and unchanged(path)) or content(path) == pristine(path):
            self.told.add(found)
            self.send("used", found)

    def answered(self, path: str, source: bytes, hear: "Callable[[Any], None]") -> None:
        """Hand the report function to the known Python answer; report anyone else who asks for it."""
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
        if self.begun:
            self.send("reaches", "mlbench.answer")
        elif path == self.answer and sha256(source).hexdigest() == self.digest:
            self.begun = True
            self.have_package()
            hear(self.send)

    def end(self) -> None:
        self.send("end")


def trusted(path: str) -> bool:
    return path.startswith(TRUSTED) and "/../" not in path


def pristine(path: str) -> "bytes | None":
    """The repository's own content of a workspace file, or of a copy elsewhere; None if there is none."""
    found = original(path)
    return content(PRISTINE + found[len(WORKSPACE) :]) if found else None


def original(path: str) -> str:
    """The workspace file that a path names, or that it copies by the end of its path; empty if there is none."""
    if "/../" in path:
        return ""
    if path.startswith(WORKSPACE) and status(PRISTINE + path[len(WORKSPACE) :]) is not None:
        return path
    names = path.split("/")
    for place in range(1, len(names)):
        end = "/".join(names[place:])
        if status(PRISTINE + end) is not None:
            return WORKSPACE + end
    return ""


def status(path: str) -> "tuple[int, int] | None":
    """Change time and size of a file. Nobody can choose the change time, so equal values mean no write."""
    import posix

    try:
        stat = posix.stat(path)
    except OSError:
        return None
    return stat.st_ctime_ns, stat.st_size


def unchanged(path: str) -> bool:
    """Whether a source file is the repository's own and was never written."""
    if not path.startswith(WORKSPACE) or not path.endswith(".py"):
        return False
    here = status(path)
    return here is not None and here == status(PRISTINE + path[len(WORKSPACE) :])


def content(path: str) -> "bytes | None":
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def real(name: str) -> str:
    """Resolve links and `.` in a file name."""
    import posixpath

    return posixpath.realpath(name)
