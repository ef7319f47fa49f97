"""What a jail sees of the host, and bubblewrap's command line for it."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import py_compile
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.util import SandboxUnavailableError

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.limits import Limits

WORKSPACE = "/workspace"
HOME = "/home/user"
ENVIRONMENT = "/opt/env"
TOOLS = "/opt/tools"
_HERE = Path(__file__).parent
_AGENT = _HERE / "agent.py"


@dataclass(frozen=True)
class Mounts:
    """What a jail sees besides the system: host folders.

    repository: seen copy-on-write at /workspace.
    environment: a virtual environment, read-only at /opt/env, its `bin` first in PATH.
    tools: a folder of console scripts, read-only, next in PATH.
    shown: further folders or files, read-only, each with its place inside.
    frozen: nothing inside can be written, the workspace, home and temporary folders included.
    """

    repository: Path
    environment: Path | None = None
    tools: Path | None = None
    shown: tuple[tuple[Path, str], ...] = ()
    frozen: bool = False


def environment(mounts: Mounts, env: Mapping[str, str]) -> dict[str, str]:
    """Every variable that a command gets: nothing of the host's."""
    path = [f"{ENVIRONMENT}/bin"] if mounts.environment else []
    path += [TOOLS] if mounts.tools else []
    return {
        "PATH": ":".join([*path, "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **env,
    }


def start_fields(mounts: Mounts, limits: Limits) -> list[str]:
    """What the spawner is told: mount point, size, lower folder, then the command line from bwrap to the agent."""
    lower = str(mounts.repository.resolve())
    if any(sign in lower for sign in ",:\\"):
        raise SandboxUnavailableError(f"the path {lower} holds a comma, colon or backslash: move it")
    for folder in (mounts.repository, mounts.environment, mounts.tools):
        if folder and not folder.is_dir():
            raise SandboxUnavailableError(f"there is no folder {folder} to show to the sandbox")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailableError("bubblewrap is not installed (Debian: apt-get install bubblewrap)")
    bwrap = str(Path(bwrap).absolute())
    return [str(cache_folder("scratch")), str(limits.written), lower, bwrap, *_arguments(mounts, limits)]


def _arguments(mounts: Mounts, limits: Limits) -> list[str]:
    python = _agent_python(mounts)
    prefix = python.parent.parent
    shown = [(Path("/usr"), "/usr")]
    shown += [] if prefix.is_relative_to("/usr") else [(prefix, str(prefix))]
    shown += [(mounts.environment.resolve(), ENVIRONMENT)] if mounts.environment else []
    shown += [(mounts.tools.resolve(), TOOLS)] if mounts.tools else []
    args = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"]
    args += ["--cap-drop", "ALL", "--seccomp", "3", "--as-pid-1", "--die-with-parent", "--new-session"]
    args += ["--hostname", "sandbox", "--clearenv"]
    # the files in /proc/sys belong to the host's root, in here as well: only the mount keeps candidates from writing
    args += ["--proc", "/proc", "--remount-ro", "/proc"]
    args += ["--dev", "/dev", "--ro-bind" if mounts.frozen else "--bind", "shm", "/dev/shm", "--remount-ro", "/dev"]
    for folder, place in shown:
        args += ["--ro-bind", str(folder), place]
    args += _system_mounts()
    args += _masks(shown)
    agent = _agent_file(python)
    args += ["--ro-bind", str(agent), f"/opt/{agent.name}"]
    for source, place in mounts.shown:
        args += ["--ro-bind", str(source.resolve()), place]
    bind = "--ro-bind" if mounts.frozen else "--bind"
    args += [bind, "tree", WORKSPACE, bind, "home", HOME, bind, "tmp", "/tmp"]
    args += ["--remount-ro", "/", "--chdir", WORKSPACE, "--"]
    args += [str(python), "-I", "-S", f"/opt/{agent.name}"]
    return [*args, str(limits.written), str(limits.open_files), str(limits.processes)]


def _system_mounts() -> list[str]:
    """The links or folders beside /usr, and the few files of /etc that programs need."""
    args: list[str] = []
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            args += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            args += ["--ro-bind", str(path), str(path)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        args += ["--ro-bind-try", name, name]
    for file in ("passwd", "group", "hosts"):
        args += ["--ro-bind", str(_HERE / "etc" / file), f"/etc/{file}"]
    return args


def _masks(shown: Sequence[tuple[Path, str]]) -> list[str]:
    """Empty folders over what would show the answers: this package and its cache, where they stand in view."""
    args: list[str] = []
    for secret in (_HERE.parent.resolve(), cache_folder().resolve()):
        for folder, place in shown:
            if secret.is_relative_to(folder):
                target = str(Path(place) / secret.relative_to(folder))
                args += ["--tmpfs", target, "--remount-ro", target]
    return args


def _agent_python(mounts: Mounts) -> Path:
    """The interpreter itself, not the link that a virtual environment has to it."""
    link = mounts.environment / "bin" / "python" if mounts.environment else Path(sys.executable)
    python = link.resolve()
    if not python.is_file():
        raise SandboxUnavailableError(f"no Python behind {link}")
    if Path.home().is_relative_to(python.parent.parent):
        raise SandboxUnavailableError(f"to show the Python {python}, a sandbox would have to show your home folder")
    return python


def _agent_file(python: Path) -> Path:
    """The agent as its interpreter starts it fastest: compiled (2 ms less), where that interpreter is this one."""
    if python != Path(sys.executable).resolve():
        return _AGENT
    compiled = _compiled_agent()
    return compiled if compiled.exists() else _AGENT


@functools.cache
def _compiled_agent() -> Path:
    digest = hashlib.sha256(_AGENT.read_bytes() + importlib.util.MAGIC_NUMBER).hexdigest()[:16]
    target = cache_folder("agent") / f"agent-{digest}.pyc"
    if not target.exists():
        py_compile.compile(str(_AGENT), cfile=str(target), doraise=True)
    return target
