"""Programs run under the recorder in child processes, as the interface check runs them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import mlbench
from mlbench.interface_check.parser_env import parser_kit

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"


def events(
    libraries: str, program: str | Path, *lines: str, mode: str = "stop", stub: str = ""
) -> list[list[dict[str, Any]]]:
    """What the recorder sent for each command line: words after the program, split at blanks."""
    request = {
        "kit": str(parser_kit()),
        "source": str(Path(mlbench.__file__).parent / "interface_check"),
        "mode": mode,
        "program": str(PROGRAMS / program),
        "stub": stub,
        "libraries": libraries.split(),
        "vectors": [line.split() for line in lines],
    }
    python = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    done = subprocess.run(
        [python, "-I", "-S", str(HERE / "driver.py")],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def answers(libraries: str, program: str | Path, *lines: str, stub: str = "") -> list[dict[str, Any]]:
    """The last word of the check on each command line; what came before it is provisional."""
    found = events(libraries, program, *lines, stub=stub)
    assert all(each and each[-1].get("final", True) for each in found), found
    return [each[-1] for each in found]


def reasons(libraries: str, program: str | Path, *lines: str, stub: str = "") -> list[str]:
    """`accepted`, or the reason against it, for each command line."""
    return [answer.get("reason") or answer["status"] for answer in answers(libraries, program, *lines, stub=stub)]
