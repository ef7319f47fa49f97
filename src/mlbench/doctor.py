"""Check whether this machine has what mlbench needs, and say how to install what is missing."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec

from mlbench import __version__
from mlbench.records import RunError, UsageError

DISTRIBUTION = "mlbench-harness"
EXTRAS = {
    "parquet": ("pyarrow",),
    "hub": ("huggingface_hub",),
    "report": ("altair", "vl_convert"),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "google": ("google.genai",),
    "agents": ("inspect_swe", "anthropic", "google.genai", "openai"),
    "ray": ("ray",),
    "k8s": ("k8s_sandbox",),
    "train": ("torch", "transformers", "trl", "peft", "datasets", "gguf"),
    "weights": ("torch", "transformers", "gguf", "accelerate"),
}
"""The modules that each extra installs."""

LEAST_GIB = 2
"""Free disk space that a first evaluation needs, in GiB: environments, checkouts, logs."""
OLDEST_BUBBLEWRAP = (0, 8)
_SECONDS = 20


class State(StrEnum):
    """The state of an item."""

    OK = "ok"
    ABSENT = "absent"
    MISSING = "missing"


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        name: the item that was checked.
        state: `missing` if every evaluation needs the item, `absent` if only some commands do.
        detail: what was found, or what is wrong.
        remedy: command or advice that fixes it; empty if nothing is wrong.
    """

    name: str
    state: State
    detail: str
    remedy: str = ""


def examine() -> Iterator[Finding]:
    """Check everything; takes one to two seconds."""
    yield from needed()
    yield _control_groups()
    yield _docker()
    for extra, modules in EXTRAS.items():
        lacking = [module for module in modules if not importable(module)]
        if lacking:
            detail, remedy = f"not installed: {', '.join(lacking)}", f"pip install '{DISTRIBUTION}[{extra}]'"
            yield Finding(f"extra {extra}", State.ABSENT, detail, remedy)
        else:
            yield Finding(f"extra {extra}", State.OK, "installed")
    yield _keys()


def needed() -> Iterator[Finding]:
    """Check quickly what every evaluation in the default sandbox needs."""
    for check in (_system, _bubblewrap, _namespaces, _uv, _cache, _disk):
        yield check()


def before_first_run(sandbox: str = "bubblewrap") -> None:
    """Check what is needed before the first evaluation on this machine; prints nothing.

    Args:
        sandbox: sandbox of the evaluation; only `bubblewrap` and `k8s` are checked.

    Raises:
        UsageError: no image of pods is named.
        RunError: something is missing; says how to fix it.
    """
    if sandbox == "k8s":
        from mlbench.sandbox.k8s import refuse_without_cluster

        refuse_without_cluster()
    if sandbox != "bubblewrap":
        return
    from mlbench.repositories.cache import cache_folder

    try:
        seen = cache_folder("doctor") / f"{__version__}-{platform.node() or 'machine'}"
        if seen.exists():
            return
    except OSError:
        seen = None
    for finding in needed():
        if finding.state is State.MISSING:
            raise RunError(f"{finding.name}: {finding.detail}: {finding.remedy}; `mlbench doctor` checks everything")
    if seen is not None:
        seen.touch()


def _system() -> Finding:
    where = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    if sys.platform == "linux":
        return Finding("system", State.OK, where)
    return Finding("system", State.MISSING, where, "the bubblewrap sandbox needs Linux: use --sandbox docker")


def _bubblewrap() -> Finding:
    program = shutil.which("bwrap")
    if program is None:
        return Finding("bubblewrap", State.MISSING, "not installed", "sudo apt-get install bubblewrap")
    said = f"{_first_line([program, '--version'])} at {program}"
    version = re.search(r"(\d+)\.(\d+)", said)
    if version and (int(version[1]), int(version[2])) < OLDEST_BUBBLEWRAP:
        return Finding("bubblewrap", State.MISSING, f"{said} is too old", "install bubblewrap 0.8 or newer")
    return Finding("bubblewrap", State.OK, said)


def _namespaces() -> Finding:
    from mlbench.sandbox.failure import why_not_started
    from mlbench.sandbox.kernel import explain

    program, name = shutil.which("bwrap"), "user namespaces"
    if program is None:
        return Finding(name, State.MISSING, "cannot be checked without bubblewrap", "sudo apt-get install bubblewrap")
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, State.MISSING, f"bwrap does not run ({error})", "use --sandbox docker")
    if done.returncode == 0:
        return Finding(name, State.OK, "bwrap starts a sandbox")
    said = explain(why_not_started(done.stderr))
    detail, _, remedy = said.partition(", type ")
    return Finding(name, State.MISSING, " ".join(detail.split()), remedy.strip("`") or "use --sandbox docker")


def _uv() -> Finding:
    try:
        import uv

        return Finding("uv", State.OK, uv.find_uv_bin())
    except (ImportError, FileNotFoundError):
        return Finding("uv", State.MISSING, "not installed", f"pip install --force-reinstall {DISTRIBUTION}")


def _cache() -> Finding:
    from mlbench.repositories.cache import cache_folder

    try:
        folder = cache_folder()
        probe = folder / f".doctor-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        detail = f"cannot write {error.filename}: {error.strerror}"
        return Finding("cache", State.MISSING, detail, "export MLBENCH_CACHE=/a/folder/that/you/can/write")
    return Finding("cache", State.OK, str(folder))


def _disk() -> Finding:
    from mlbench.repositories.cache import cache_folder

    try:
        folder = cache_folder()
        free = shutil.disk_usage(folder).free / 2**30
    except OSError as error:
        return Finding("disk", State.MISSING, str(error), "export MLBENCH_CACHE=/a/folder/that/you/can/write")
    said = f"{free:.1f} GiB free at {folder}"
    if free >= LEAST_GIB:
        return Finding("disk", State.OK, said)
    return Finding("disk", State.MISSING, said, f"free {LEAST_GIB} GiB, or export MLBENCH_CACHE=/a/larger/disk")


def _control_groups() -> Finding:
    from mlbench.sandbox.cgroup import ControlGroup
    from mlbench.sandbox.limits import Limits

    try:
        group = ControlGroup.create(Limits())
    except OSError:
        group = None
    if group is None:
        detail = "this user may not create one: a slower watcher thread limits memory instead"
        return Finding("cgroups", State.ABSENT, detail, "systemd-run --user --scope -p Delegate=yes mlbench …")
    group.close()
    return Finding("cgroups", State.OK, "the kernel limits memory and processes")


def _docker() -> Finding:
    from mlbench.sandbox.docker.engine import answering

    try:
        answering()
    except (UsageError, RunError) as error:
        detail, _, remedy = str(error).partition(": ")
        return Finding("docker", State.ABSENT, detail, remedy)
    return Finding("docker", State.OK, "engine and Compose answer")


def _keys() -> Finding:
    """Return the names of API keys; their values are not read further."""
    names = sorted(name for name, value in os.environ.items() if name.endswith("_API_KEY") and value)
    if names:
        return Finding("keys", State.OK, ", ".join(names))
    remedy = (
        "export OPENAI_API_KEY=…, or a local model: --model openai-api/local/NAME --base-url http://localhost:8000/v1"
    )
    return Finding("keys", State.ABSENT, "no *_API_KEY is set", remedy)


def importable(module: str) -> bool:
    """Return whether a module is installed; imports its parents alone."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a parent package is not installed
        return False


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return "of an unknown version"
    return (done.stdout.strip().splitlines() or ["of an unknown version"])[0]
