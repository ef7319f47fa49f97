"""Build the environments of external agents, each from its own lock.

The pins of the agents contradict each other and those of this package, so they are no extras. Each environment is a
virtual environment, mounted read-only in a sandbox. Its interpreter may belong to a docker image: it is filled from
this machine, so the container needs no network. `driver.py` beside the packages starts the agent.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mlbench.agents import npm_agents
from mlbench.agents.npm_agents import NPM, PLACE
from mlbench.records import RunError, UsageError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.uv_client import ONLY_WHEELS, run_uv

_HERE = Path(__file__).parent
_ASK = "import json, os, platform, sys; print(json.dumps([os.path.realpath(sys.executable), *sys.version_info[:2], \
platform.machine(), platform.libc_ver()[0]]))"
_COMPILE = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2)"


@dataclass(frozen=True)
class Foreign:
    """An external agent.

    Attributes:
        name: its name in the registry.
        package: its distribution, as pip names it.
        oldest: the first Python version that it supports.
        above: the first later Python version that it does not support.
    """

    name: str
    package: str
    oldest: tuple[int, int] = (3, 11)
    above: tuple[int, int] = (4, 0)


FOREIGN = {
    each.name: each
    for each in (
        Foreign("aider", "aider-chat", above=(3, 13)),
        Foreign("autogen", "autogen-agentchat"),
        Foreign("mini_swe_agent", "mini-swe-agent"),
        Foreign("openhands", "openhands-sdk", oldest=(3, 12)),
    )
}


@dataclass(frozen=True)
class Interpreter:
    """The Python of a sandbox.

    Attributes:
        path: of the executable inside the sandbox.
        version: major and minor version.
        machine: the processor architecture, such as `x86_64`.
        image: the docker image; empty for a bubblewrap sandbox.
    """

    path: str
    version: tuple[int, int]
    machine: str
    image: str = ""


def foreign(name: str) -> Foreign:
    """Return the external agent with this name.

    Raises:
        UsageError: no external agent has this name.
    """
    if name not in FOREIGN:
        raise UsageError(f"no foreign agent {name!r}; there are {', '.join(FOREIGN)}")
    return FOREIGN[name]


def lock(name: str) -> Path:
    """Return the path of the agent's locked requirements, with hashes."""
    return _HERE / "locks" / f"{name}.txt"


def of_jail() -> Interpreter:
    """Return the Python of a bubblewrap sandbox: the running one, mounted at the same path."""
    path = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    return Interpreter(str(path), sys.version_info[:2], platform.machine())


@functools.cache
def of_image(image: str) -> Interpreter:
    """Return the Python of a docker image.

    Raises:
        RunError: docker, the image or its Python is missing; the error quotes docker.
    """
    answer = _docker(f"ask the image {image} for its Python", "run", *_SHUT, image, "python3", "-I", "-c", _ASK)
    path, major, minor, machine, libc = json.loads(answer)
    if libc != "glibc":
        raise RunError(f"the image {image} has no glibc, for which the agents' packages are built: take a Debian image")
    return Interpreter(path, (major, minor), machine, image)


def why_not(name: str, image: str | None = None) -> str | None:
    """Return why the agent cannot run (in bubblewrap or an image), and what to do; else None."""
    python = of_image(image) if image else of_jail()
    if name in NPM:
        return npm_agents.why_not(name, python.machine, image)
    agent = foreign(name)
    if reason := unfit(agent, python):
        return reason
    if not _folder(agent, python).is_dir():
        return f"the agent {name} is not installed: mlbench agents install {name}{f' --image {image}' * bool(image)}"
    return None


def agent_environment(name: str, image: str | None = None) -> Path:
    """Return the folder to mount at PLACE/NAME; build it at the first call.

    Args:
        name: the name of the external agent.
        image: the docker image that it runs in; None for bubblewrap.

    Raises:
        UsageError: no external agent has this name.
        RunError: the agent does not support this Python, or the build failed; the error quotes uv or docker.
    """
    python = of_image(image) if image else of_jail()
    if name in NPM:
        return npm_agents.npm_environment(name, python.machine)
    agent = foreign(name)
    if reason := unfit(agent, python):
        raise RunError(reason)
    return built(_folder(agent, python), functools.partial(_fill, agent, python))


def unfit(agent: Foreign, python: Interpreter) -> str | None:
    """Return in one line why the agent cannot run with this Python; None if it can."""
    if agent.oldest <= python.version < agent.above:
        return None
    wanted = f">= {_dotted(agent.oldest)}" + (f", < {_dotted(agent.above)}" if agent.above < (4, 0) else "")
    has = f"the image {python.image} has" if python.image else "this is"
    advice = "give an image that has one" if python.image else "use --sandbox docker with an image that has one"
    return f"the agent {agent.name} needs Python {wanted}, {has} {_dotted(python.version)}: {advice}"


def _folder(agent: Foreign, python: Interpreter) -> Path:
    content = lock(agent.name).read_bytes() + _driver(agent.name).read_bytes() + python.path.encode()
    key = hashlib.sha256(content).hexdigest()[:12]
    return cache_folder("agents") / f"{agent.name}-{key}-{python.machine}-{_dotted(python.version)}"


def _fill(agent: Foreign, python: Interpreter, folder: Path) -> None:
    version = _dotted(python.version)
    packages = folder / "lib" / f"python{version}" / "site-packages"
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(python.path)
    home = Path(python.path).parent
    (folder / "pyvenv.cfg").write_text(f"home = {home}\ninclude-system-site-packages = false\nversion = {version}\n")
    # --no-deps: the lock is complete. Only wheels: building from source would run foreign code outside a sandbox
    wanted = ["--require-hashes", "--no-deps", *ONLY_WHEELS, "-r", str(lock(agent.name))]
    wanted += ["--target", str(packages)]
    platform_options = ["--python-version", version, "--python-platform", f"{python.machine}-manylinux_2_28"]
    run_uv(f"the agent {agent.name}", "pip", "install", "--quiet", *wanted, *(platform_options if python.image else ()))
    shutil.copyfile(_driver(agent.name), folder / "driver.py")
    _compile(python, folder)


def _compile(python: Interpreter, folder: Path) -> None:
    """Compile all modules: the mount is read-only, and compiling would dominate each start."""
    command = ["-I", "-c", _COMPILE]
    if python.image:
        user = f"{os.getuid()}:{os.getgid()}"
        shown = ["--user", user, "--volume", f"{folder}:{PLACE}/new"]
        _docker("compile the agent", "run", *_SHUT, *shown, python.image, "python3", *command, f"{PLACE}/new/lib")
    else:
        subprocess.run([python.path, *command, str(folder / "lib")], check=False, capture_output=True)


_SHUT = ("--rm", "--pull", "never", "--network", "none", "--entrypoint", "")


def _docker(what: str, *arguments: str) -> str:
    program = shutil.which("docker")
    if program is None:
        raise RunError(f"cannot {what}: docker is not installed")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        last = [line.strip() for line in done.stderr.splitlines() if line.strip()][-2:]
        raise RunError(f"cannot {what}: {' '.join(last) or f'docker ended with {done.returncode}'}")
    return done.stdout


def _driver(name: str) -> Path:
    return _HERE / "drivers" / f"{name}.py"


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
