"""Agents that are programs of the npm registry: what each consists of, and the folder that a sandbox shows.

A folder has the unpacked packages (`node_modules`) and a `bin` with one link for each command. Programs in JavaScript
are run by the Node.js of the same lock, so the sandbox needs none.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from mlbench.agents.npm_packages import PROCESSORS, install, packages_for, read_lock
from mlbench.records import RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder

PLACE = "/opt/agents"
"""The folder of the agents' environments in a sandbox: PLACE/NAME."""

EXTRA = "agents"
"""The extra of this package that runs these agents."""

_LIBRARY = "inspect_swe"


@dataclass(frozen=True)
class NpmAgent:
    """An agent that is a program of the npm registry.

    Attributes:
        name: its name in the registry of agents.
        package: the package whose version is the agent's.
        programs: the file of each command, below `node_modules`; `*` stands for the processor's name, and `{cpu}` for
            npm's name of the one in use.
        start: the command that does a task from standard input, its first word among `programs`; empty if
            `inspect_swe` drives the agent.
        variables: what `start` needs besides the address of the model.
        gave_up: what `start` prints if it stops without an end of the task; empty if there is no such case.
    """

    name: str
    package: str
    programs: Mapping[str, str]
    start: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    gave_up: str = ""


_NODE = {"node": "node-linux-*/bin/node"}
_RIPGREP = {"rg": "@vscode/ripgrep-linux-*/bin/rg"}
_NODE_OPTIONS = ("--expose-gc", "--liftoff-only")
"""Qwen Code's own option, and one without which Node.js takes 2 GB to optimise its parser of shell commands."""
_LEFT_OUT = ("--exclude-tools", "get_goal,update_goal,list_agents")
"""Qwen Code's tools without parameters, which Inspect's bridge does not take, and one that belongs to them."""

NPM = {
    each.name: each
    for each in (
        NpmAgent(
            "claude_code",
            "@anthropic-ai/claude-code-linux-x64",
            {"claude": "@anthropic-ai/claude-code-linux-*/claude"},
        ),
        NpmAgent("codex_cli", "@openai/codex", {"codex": "@openai/codex/vendor/*/bin/codex"}),
        NpmAgent(
            "gemini_cli",
            "@google/gemini-cli",
            {"gemini": "@google/gemini-cli/bundle/gemini.js", **_NODE, **_RIPGREP},
        ),
        NpmAgent(
            "opencode",
            "opencode-linux-x64-baseline",
            {"opencode": "opencode-linux-*/bin/opencode", **_NODE, **_RIPGREP},
        ),
        NpmAgent("kimi_code", "@moonshot-ai/kimi-code", {"kimi": "@moonshot-ai/kimi-code/dist/main.mjs", **_NODE}),
        NpmAgent(
            "qwen_code",
            "@qwen-code/qwen-code",
            {
                "qwen": "@qwen-code/qwen-code/cli.js",
                "rg": "@qwen-code/qwen-code/vendor/ripgrep/{cpu}-linux/rg",
                **_NODE,
            },
            ("node", *_NODE_OPTIONS, f"{PLACE}/qwen_code/bin/qwen", "--yolo", "--auth-type", "openai", *_LEFT_OUT),
            {
                "OPENAI_MODEL": "inspect",
                "QWEN_USAGE_STATISTICS_ENABLED": "false",
                "QWEN_CODE_SKIP_UPDATE_CHECK_ONCE": "true",
                "QWEN_DISABLE_AUTO_TITLE": "1",
                "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
                "QWEN_CODE_NO_RELAUNCH": "1",
            },
            "Loop detection halted the run",
        ),
        NpmAgent(
            "goose",
            "@aaif/goose-binary-linux-x64",
            {"goose": "@aaif/goose-binary-linux-*/bin/goose"},
            ("goose", "run", "--instructions", "-", "--no-session", "--no-profile", "--with-builtin", "developer"),
            {
                "GOOSE_PROVIDER": "openai",
                "GOOSE_MODEL": "inspect",
                "GOOSE_MODE": "auto",
                "GOOSE_DISABLE_KEYRING": "1",
                "GOOSE_DISABLE_SESSION_NAMING": "true",
                "GOOSE_TELEMETRY_OFF": "1",
            },
        ),
    )
}


def lock(name: str) -> Path:
    """Return the path of an agent's lock."""
    return Path(__file__).parent / "locks" / f"{name}.npm"


def version(name: str) -> str:
    """Return the locked version of an agent."""
    return next(each.version for each in read_lock(lock(name)) if each.name == NPM[name].package)


def why_not(name: str, machine: str, image: str | None) -> str | None:
    """Return why an agent cannot run, and what to do; else None.

    Args:
        name: the name of the agent.
        machine: the processor, as `uname -m` names it.
        image: the docker image that it runs in; None for bubblewrap.
    """
    if not NPM[name].start and importlib.util.find_spec(_LIBRARY) is None:
        return f"the agent {name} needs an extra: pip install 'mlbench-harness[{EXTRA}]'"
    if not _folder(name, machine).is_dir():
        return f"the agent {name} is not installed: mlbench agents install {name}{f' --image {image}' * bool(image)}"
    return None


def npm_environment(name: str, machine: str) -> Path:
    """Return the folder to mount at PLACE/NAME; build it at the first call.

    Raises:
        RunError: there is no build for this processor, or the packages cannot be installed.
    """
    return built(_folder(name, machine), partial(_fill, name, machine))


def _folder(name: str, machine: str) -> Path:
    content = f"{lock(name).read_text()}{sorted(NPM[name].programs.items())}"
    key = hashlib.sha256(content.encode()).hexdigest()[:12]
    return cache_folder("agents") / f"{name}-{key}-{machine}"


def _fill(name: str, machine: str, folder: Path) -> None:
    packages = packages_for(read_lock(lock(name)), machine)
    if machine not in PROCESSORS or not packages:
        raise RunError(f"the agent {name} has no program for the processor {machine}")
    install(f"the agent {name}", packages, folder)
    (folder / "bin").mkdir()
    for command, pattern in NPM[name].programs.items():
        place = pattern.replace("{cpu}", PROCESSORS[machine])
        found = [path.relative_to(folder) for path in (folder / "node_modules").glob(place)]
        if len(found) != 1:
            raise RunError(f"cannot install the agent {name}: its packages have no {place}")
        (folder / found[0]).chmod(0o755)
        (folder / "bin" / command).symlink_to(Path("..") / found[0])
    (folder / "node_modules" / ".bin").symlink_to(Path("..") / "bin")  # where npm has them
