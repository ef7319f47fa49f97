"""Bring the locks of all foreign agents up to date: `python tools/lock_agents.py [AGENT ...]`, or `make lock-agents`.

Packages of PyPI are listed in `NAME.in` and locked by uv in `NAME.txt`; packages of npm are listed in `NAME.npm.in` and
locked in `NAME.npm`. A line of `NAME.npm.in` is a package, its version and the processors that it is for. `{cpu}`
stands for each processor, `latest` for the newest release, and a number for the newest release of that major version.
All processors get the version that the first one has.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from mlbench.agents.agent_envs import FOREIGN
from mlbench.agents.npm_packages import NpmPackage, npm_program
from mlbench.repositories.uv_client import run_uv

LOCKS = Path(__file__).parents[1] / "src" / "mlbench" / "agents" / "locks"
CPUS = ("x64", "arm64")
_OPTIONS = "--universal --upgrade --generate-hashes --no-emit-index-url --no-header --no-annotate --only-binary :all:"


def lock_python(name: str) -> None:
    """Lock an agent of PyPI, for the oldest Python that it supports."""
    listed, left_out = LOCKS / f"{name}.in", LOCKS / f"{name}.without"
    excludes = ["--excludes", str(left_out)] if left_out.is_file() else []
    oldest = ".".join(str(part) for part in FOREIGN[name].oldest)
    options = ["--quiet", *_OPTIONS.split(), *excludes, "--python-version", oldest]
    run_uv(f"the lock of {name}", "pip", "compile", *options, str(listed), "-o", str(LOCKS / f"{name}.txt"))


def lock_npm(name: str) -> None:
    """Lock an agent of npm."""
    found: list[NpmPackage] = []
    for line in (LOCKS / f"{name}.npm.in").read_text().splitlines():
        package, wanted, *cpus = line.split()
        cpus = list(CPUS) if "{cpu}" in line else cpus or ["any"]
        version = _newest(package.replace("{cpu}", cpus[0]), wanted)
        for cpu in cpus:
            found.append(_locked(package.replace("{cpu}", cpu), version.replace("{cpu}", cpu), cpu))
    (LOCKS / f"{name}.npm").write_text("".join(f"{each.line}\n" for each in found))


def _newest(package: str, wanted: str) -> str:
    """Return the version that a line asks for; `{cpu}` may be left in it."""
    if re.fullmatch(r"\d+", wanted):
        found = _asked(f"{package}@{wanted}", "version")  # a single one is no list
        return max([found] if isinstance(found, str) else found, key=lambda each: [int(n) for n in each.split(".")])
    return re.sub("^latest", lambda _: str(_asked(package, "version")), wanted)


def _locked(package: str, version: str, cpu: str) -> NpmPackage:
    """Return a release of a package with its published hash."""
    return NpmPackage(package, version, cpu, str(_asked(f"{package}@{version}", "dist.integrity")))


def _asked(spec: str, field: str) -> Any:
    """Return a field of a package's metadata; a list if several releases match."""
    command = [npm_program(), "view", spec, field, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0 or not done.stdout.strip():
        sys.exit(f"npm view {spec} {field}: {done.stderr.strip()[-300:] or 'no answer'}")
    return json.loads(done.stdout)


def main() -> None:
    """Lock the named agents, or all."""
    by_npm = sorted(path.name.removesuffix(".npm.in") for path in LOCKS.glob("*.npm.in"))
    for name in sys.argv[1:] or [*sorted(FOREIGN), *by_npm]:
        print(f"locking {name}", flush=True)
        (lock_npm if name in by_npm else lock_python)(name)


if __name__ == "__main__":
    main()
