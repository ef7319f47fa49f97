"""Virtual environments of suites, and console scripts of repositories.

A candidate never runs in the environment of mlbench, because it could find the answers by importing mlbench.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import sys
import tomllib
from pathlib import Path

from mlbench.atomic_write import write_file
from mlbench.records import RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.uv_client import ONLY_WHEELS, run_uv

_PIP_BY_UV = Path(__file__).with_name("pip_by_uv.py")
_NAME = re.compile(r"\w[\w.-]*")
_TARGET = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_SCRIPT = """#!/usr/bin/env python
import sys
from {module} import {function}
if __name__ == "__main__":
    sys.exit({function}())
"""

_PTH = """import sys, _frozen_importlib_external as e; 'mlbench_witness' in sys.modules or exec("\
try: code = e.SourceFileLoader('w', '/opt/probe/audit_recorder.py').get_code('w')\\n\
except OSError: code = ''\\n\
exec(code, {'__name__': 'mlbench_witness'})")
"""
"""Starts the recorder before all other code in a traced execution; otherwise it does nothing."""


def environment(requirements: Path) -> Path:
    """Return the virtual environment of a locked requirements file, built once per Python and lock.

    Raises:
        NoWheelError: a package has no wheel.
        RunError: it cannot be built; quotes uv.
    """
    if not requirements.is_file():
        raise RunError(f"{requirements} is missing: it locks the candidates' environment (it may be empty)")
    what = "the candidates' environment"

    def make(folder: Path) -> None:
        make_environment(folder, what)
        install = ["pip", "install", "--quiet", *ONLY_WHEELS, "--require-hashes", "--compile-bytecode"]
        run_uv(what, *install, "--python", str(folder / "bin" / "python"), "-r", str(requirements))
        with_witness(folder)

    return built(environment_folder(requirements.read_bytes()), make)


def bare_environment() -> Path:
    """Return an environment with only pip, for agents to install into; its `pip install` is done by uv.

    Raises:
        RunError: it cannot be built; quotes uv.
    """
    seeds = "pip"
    what = "the agents' environment"

    def make(folder: Path) -> None:
        make_environment(folder, what)
        install = [
            "pip",
            "install",
            "--quiet",
            *ONLY_WHEELS,
            "--compile-bytecode",
            "--python",
            str(folder / "bin" / "python"),
        ]
        run_uv(what, *install, seeds)
        (packages,) = (folder / "lib").glob("python*/site-packages/pip")
        shutil.copyfile(_PIP_BY_UV, packages / "mlbench_uv.py")
        start = packages / "__init__.py"
        # a new file: the old one may be a link to uv's cache
        write_file(start, f"{start.read_text()}\nfrom pip import mlbench_uv\n\nmlbench_uv.install()\n")

    return built(environment_folder(b"bare\0" + seeds.encode() + _PIP_BY_UV.read_bytes()), make)


def make_environment(folder: Path, what: str) -> None:
    """Create an empty virtual environment of this Python that can be mounted anywhere.

    Args:
        folder: where to create it.
        what: name of the environment for error messages.

    Raises:
        RunError: it cannot be built; quotes uv.
    """
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    run_uv(what, "venv", "--quiet", "--relocatable", "--allow-existing", "--python", str(python), str(folder))


def with_witness(folder: Path) -> None:
    """Make this environment's Python start the recorder, if the recorder is mounted."""
    (packages,) = (folder / "lib").glob("python*/site-packages")
    (packages / "mlbench_witness.pth").write_text(_PTH)


def environment_folder(content: bytes) -> Path:
    """Return the folder of an environment with this content and recorder, for this machine and Python."""
    digest = hashlib.sha256(content + b"\0" + _PTH.encode()).hexdigest()
    return cache_folder("environments") / f"{digest[:12]}-{this_python()}"


def this_python() -> str:
    """Return a name of this processor and Python version, for which compiled code is valid."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    return f"{platform.machine()}-{version}"


def console_scripts(repository: Path) -> Path | None:
    """Return a folder with the console scripts of a repository's `pyproject.toml`; None if it declares none.

    Raises:
        RunError: the name or the function of a declared script is not valid.
    """
    file = repository / "pyproject.toml"
    if not file.is_file():
        return None
    scripts = tomllib.loads(file.read_text(encoding="utf-8")).get("project", {}).get("scripts", {})
    if not scripts:
        return None
    folder = cache_folder("tools", repository.name)
    for name, target in scripts.items():
        if not (_NAME.fullmatch(name) and _TARGET.fullmatch(str(target))):  # repositories are not trusted
            raise RunError(f"{repository.name}: pyproject.toml declares an impossible console script {name!r}")
        module, _, function = target.partition(":")
        text = _SCRIPT.format(module=module, function=function)
        script = folder / name
        if not script.is_file() or script.read_text() != text:
            write_file(script, text, mode=0o755)
    return folder
