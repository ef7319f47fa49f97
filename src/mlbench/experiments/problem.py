"""A problem: what an agent is to improve, by which measure, from which starter; a folder with a `task.yaml` (ADR 9)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.types import UsageError

PROBLEMS = Path(__file__).parent / "problems"
PARTS = ("task.yaml", "visible", "hidden/prepare.py", "hidden/grade.py", "hidden/reference", "hidden/wrong")
"""What the folder of a problem must hold."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Metric(_Strict):
    """What is measured. `perfect` is the score of a perfect predictor, where there is one."""

    name: str
    better: Literal["higher", "lower"]
    unit: str = ""
    perfect: float | None = None

    def improvement(self, score: float, baseline: float) -> float:
        """Relative improvement over a baseline: 0.1 is 10 % better; negative is worse."""
        if baseline == 0:
            return 0.0 if score == 0 else float("inf") if (score > 0) == (self.better == "higher") else float("-inf")
        change = (score - baseline) / abs(baseline)
        return change if self.better == "higher" else -change


class Known(_Strict):
    """The starter's known score: its mean over seeds, and how far from it (absolute) a run may lie."""

    mean: float
    spread: float = Field(ge=0)
    seeds: int = Field(ge=1)


class Bounds(_Strict):
    """What an agent may take, as published (50 steps, 5 hours), and how long one of its scripts may run, in seconds."""

    steps: int = Field(default=50, gt=0)
    seconds: float = Field(default=18000.0, gt=0)
    script_seconds: float = Field(default=600.0, gt=0)


class Measured(_Strict):
    """What is run afresh, on which inputs, and what it has to leave.

    Attributes:
        run: words of the command, in the workspace.
        inputs: files of `hidden/` (as prepared) that are put into the workspace before.
        outputs: files that are carried to the grader.
        speed: the score is a time: seconds of processor time of all that was started, which hangs less on what
            else a machine does than the wall's.
        repeats: of so many runs.
        seconds: bound of one run.
    """

    run: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...]
    speed: bool = True
    repeats: int = Field(default=3, ge=1)
    seconds: float = Field(default=60.0, gt=0)


class Full(_Strict):
    """The published data: where they are had, under which terms, and with which SHA-256."""

    source: str
    terms: str
    needs: tuple[str, ...] = ()
    files: dict[str, str] = Field(default_factory=dict)
    credentials: tuple[str, ...] = ()
    note: str = ""


class Problem(_Strict):
    """A problem of a folder. `published` is the share of successes (per cent) that the paper reports, by model."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    domain: str
    text: str
    lite: str
    metric: Metric
    script: str = "train.py"
    submission: tuple[str, ...] = ("submission.csv",)
    read_only: tuple[str, ...] = ()
    starter: Known
    trivial: float | None = None
    bounds: Bounds = Bounds()
    measured: Measured | None = None
    full: Full | None = None
    published: dict[str, float] = Field(default_factory=dict)
    data_seed: int = 20240611
    folder: Path = Path()

    @property
    def visible(self) -> Path:
        return self.folder / "visible"

    @property
    def hidden(self) -> Path:
        return self.folder / "hidden"

    def digest(self) -> str:
        """SHA-256 over every file of the folder."""
        found = hashlib.sha256()
        for file in sorted(
            path for path in self.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
        ):
            found.update(file.relative_to(self.folder).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
        return found.hexdigest()


def problems() -> list[str]:
    """The names of the bundled problems."""
    return sorted(path.parent.name for path in PROBLEMS.glob("*/task.yaml"))


def load_problem(name: str | Path) -> Problem:
    """A bundled problem by its name, or the one of a folder.

    Raises:
        UsageError: there is none, a part is missing, or `task.yaml` says something that cannot be; names the part.
    """
    folder = PROBLEMS / name if (PROBLEMS / name / "task.yaml").is_file() else Path(name)
    if not folder.is_dir():
        raise UsageError(f"no problem {str(name)!r}; there are: {', '.join(problems())}, or the folder of one")
    for part in PARTS:
        if not (folder / part).exists():
            raise UsageError(f"{folder}: {part} is missing; a problem has {', '.join(PARTS)}")
    file = folder / "task.yaml"
    try:
        problem = Problem.model_validate({**yaml.safe_load(file.read_text()), "folder": folder.resolve()})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{file}: {where}: {first['msg']}") from error
    except (yaml.YAMLError, TypeError) as error:
        raise UsageError(f"{file}: {' '.join(str(error).split())[:200]}") from error
    if not (problem.visible / problem.script).is_file():
        raise UsageError(f"{folder}: visible/{problem.script}, the starter, is missing")
    return problem
