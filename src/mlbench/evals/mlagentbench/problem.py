"""Load a research problem from a folder with a `task.yaml` (ADR 9).

A problem has a starter to improve, a metric, a budget and up to three kinds of data.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Literal, TypedDict

import yaml
from pydantic import Field, ValidationError, model_validator

from mlbench.evals.mlagentbench.published_files import Full, KnownSeed, ProblemBudget, StrictModel
from mlbench.records import UsageError

PROBLEMS = Path(__file__).parent / "problems"
PARTS = ("task.yaml", "visible", "hidden/prepare.py", "hidden/grade.py", "hidden/reference", "hidden/wrong")
"""Files and folders that a problem must have."""

Data = Literal["lite", "full", "published"]
"""Kinds of data.

`lite`: small data that are generated or come with scikit-learn. `full`: the published data in the form of the small
ones. `published`: everything as published: data, split, starter, metric and packages; `published/` overrides the rest.
"""


class Tier(StrEnum):
    """How hard the small data are. A generator takes it as `--tier`."""

    EASY = "easy"
    STANDARD = "standard"
    HARD = "hard"


LOCKS = Path(__file__).parent / "locks"

SUCCESS = 0.1
"""Relative improvement over the starter that counts as success, as published."""

DATA_SEED = 20240611
"""Known seed, for tests and for the held-back part of the published data. A run on small data draws its own."""


class ProblemMetric(StrictModel):
    """What is measured.

    Attributes:
        perfect: the score of a perfect predictor, if there is one.
        ratio: whether the scale compares scores by their ratio, as it does times.
        suspect: from this score on, a person has to check how it was reached. For data without a floor.
    """

    name: str
    better: Literal["higher", "lower"]
    unit: str = ""
    perfect: float | None = None
    suspect: float | None = None
    ratio: bool = False

    @property
    def by_ratio(self) -> bool:
        """Whether scores are compared by their ratio: 2 is as far from 4 as 1 is from 2."""
        return self.ratio or self.unit == "seconds"

    def is_suspect(self, score: float) -> bool:
        """Return whether a score is too good to be learned."""
        if self.suspect is None:
            return False
        return score >= self.suspect if self.better == "higher" else score <= self.suspect

    def improvement(self, score: float, baseline: float) -> float:
        """Return the relative improvement over a baseline: 0.1 is 10 % better, negative is worse."""
        if baseline == 0:
            return 0.0 if score == 0 else float("inf") if (score > 0) == (self.better == "higher") else float("-inf")
        change = (score - baseline) / abs(baseline)
        return change if self.better == "higher" else -change


class ScaleMarks(StrictModel):
    """Known positions on the scale from a trivial predictor (0) to the floor (1): means over seeds of the data.

    Attributes:
        starter, reference: of the starter and of the reference solution.
        recipes: of the plain recipes in `hidden/recipes/`, by name.
        success: beyond this position an attempt succeeds if the reference stands where it is stated. Plain recipes stay
            below it.
    """

    starter: float
    recipes: dict[str, float] = Field(min_length=1)
    reference: float
    success: float = Field(gt=0, lt=1)

    @model_validator(mode="after")
    def _tells_skill(self) -> ScaleMarks:
        """Refuse marks that the reference does not reach, or that a recipe passes."""
        if not max(self.starter, *self.recipes.values()) < self.success < self.reference:
            raise ValueError("success has to lie above the starter and every recipe, and below the reference")
        return self

    def success_on(self, reference: float | None) -> float:
        """Return the position beyond which an attempt succeeds on the data of a run.

        Some drawn data are harder than others. The mark moves in proportion to the reference, so that the reference
        always reaches it.

        Args:
            reference: position of the reference on these data; None if it is not known.
        """
        return self.success if reference is None or reference <= 0 else self.success * reference / self.reference


class Measured(StrictModel):
    """A program that is run again for the grade, on new inputs.

    Attributes:
        run: words of the command, in the workspace.
        inputs: files of the prepared `hidden/` that are put into the workspace first.
        outputs: files that are handed to the grader.
        speed: whether the score is a time: seconds of processor time of all processes, which depends less on other
            work of the machine than wall time does.
        repeats: number of runs.
        seconds: time limit of one run.
    """

    run: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...]
    speed: bool = True
    repeats: int = Field(default=3, ge=1)
    seconds: float = Field(default=60.0, gt=0)


class ProblemOrigin(TypedDict):
    """The arguments with which `load_problem` loads a problem again."""

    name: str
    data: Data
    seed: int
    tier: Tier


class ResearchProblem(StrictModel):
    """A problem on one of its two kinds of data.

    Attributes:
        lite: describes its small data.
        starter: its known score on these data; None if nobody has measured it.
        trivial, floor: scores of a predictor that looks at nothing, and of one that knows the rule behind the data.
        marks: known positions between the two; without them, success is what was published.
        tiers: the known positions on easier and harder small data, which `prepare.py` makes with `--tier`.
        environment: the lock in `locks/` with the packages of workspace and grader; by default numpy to scikit-learn.
        assumed: the score that the published evaluation gives to a starter which leaves no submission.
        deviations: what differs from the published problem, for the table of problems.
        published: the success rate (per cent) that the paper reports, by model.
        data, data_seed, tier, folder: set by `load_problem`, not by `task.yaml`.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    domain: str
    text: str
    lite: str
    metric: ProblemMetric
    script: str = "train.py"
    submission: tuple[str, ...] = ("submission.csv",)
    read_only: tuple[str, ...] = ()
    starter: KnownSeed | None
    trivial: float | None = None
    floor: float | None = None
    marks: ScaleMarks | None = None
    tiers: dict[Tier, ScaleMarks] = Field(default_factory=dict)
    bounds: ProblemBudget = ProblemBudget()
    measured: Measured | None = None
    full: Full | None = None
    environment: str = Field(default="", pattern=r"^[a-z0-9-]*$")
    assumed: float | None = None
    deviations: str = ""
    published: dict[str, float] = Field(default_factory=dict)
    data: Data = "lite"
    data_seed: int = DATA_SEED
    tier: Tier = Tier.STANDARD
    folder: Path = Path()

    @property
    def root(self) -> Path:
        """The folder that holds `visible` and `hidden`."""
        return self.folder / "published" if self.data == "published" else self.folder

    @property
    def visible(self) -> Path:
        return self.root / "visible"

    @property
    def hidden(self) -> Path:
        return self.root / "hidden"

    @property
    def grading(self) -> Path:
        """The folder of `grade.py`. If the published metric and files are those of the small data, so is the grader."""
        return self.hidden if (self.hidden / "grade.py").is_file() else self.folder / "hidden"

    @property
    def origin(self) -> ProblemOrigin:
        """The arguments with which `load_problem` loads this problem again, as plain data for a log."""
        return {"name": str(self.folder), "data": self.data, "seed": self.data_seed, "tier": self.tier}

    @property
    def described(self) -> str:
        """The data, in a line."""
        return self.full.source if self.data != "lite" and self.full else self.lite

    @property
    def reference(self) -> Path:
        """The files that beat the starter; the published data may have their own."""
        own = self.hidden / "reference-full"
        return own if self.data == "full" and own.is_dir() else self.hidden / "reference"

    def digest(self) -> str:
        """SHA-256 over every file that concerns this kind of data, and the lock of the environment."""
        found = hashlib.sha256()
        files = (path for path in self.root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        own = [
            path for path in files if self.data == "published" or "published" not in path.relative_to(self.root).parts
        ]
        if self.data == "published":
            own += [self.folder / "task.yaml", self.grading / "grade.py"]
        if self.environment:
            own.append(LOCKS / f"{self.environment}.cpu.txt")
        for file in sorted(set(own)):
            found.update(os.path.relpath(file, self.root).encode() + b"\0" + file.read_bytes() + b"\0")
        return found.hexdigest()


def data_name(data: Data, seed: int, tier: Tier = Tier.STANDARD) -> str:
    """Name a kind of data for titles.

    Small data are named alike whatever their seed, which every run draws; data of the known seed say so, and those of
    another tier than standard. A seed of the published data decides what is held back: it is named by the start of its
    SHA-256.
    """
    if data == "lite":
        name = "lite" if tier is Tier.STANDARD else f"lite, {tier}"
        return f"{name} (known seed)" if seed == DATA_SEED else name
    if seed == DATA_SEED:
        return data
    return f"{data} (seed {seed if seed < 10**6 else hashlib.sha256(str(seed).encode()).hexdigest()[:8]})"


def drawn_seed(data: Data) -> int:
    """Return the seed of a run that names none: a secret one for small data, which it would reveal."""
    return secrets.randbits(127) if data == "lite" else DATA_SEED


def problems(data: Data = "lite") -> list[str]:
    """Return the names of the bundled problems that have this kind of data."""
    names = sorted(path.parent.name for path in PROBLEMS.glob("*/task.yaml"))
    return names if data == "lite" else [name for name in names if not why_not_offered(name, data)]


def why_not_offered(name: str, data: Data) -> str:
    """Return why a problem does not have a kind of data; empty if it has."""
    try:
        load_problem(name, data)
    except UsageError as error:
        return str(error)
    return ""


def load_problem(
    name: str | Path, data: Data = "lite", seed: int = DATA_SEED, tier: Tier | str = Tier.STANDARD
) -> ResearchProblem:
    """Load a bundled problem by name, or the one in a folder.

    Args:
        name: of a bundled problem, or a folder.
        data: kind of data.
        seed: of the small data, and of the held-back part of the published ones.
        tier: how hard the small data are.

    Raises:
        UsageError: there is no such problem, a part is missing, `task.yaml` is invalid, or the problem does not have
            this kind of data or this tier.
    """
    if not 0 <= seed < 2**128:
        raise UsageError(f"--data-seed {seed}: give a number from 0 to {2**128 - 1}")
    folder = PROBLEMS / name if (PROBLEMS / name / "task.yaml").is_file() else Path(name)
    if not folder.is_dir():
        raise UsageError(f"no problem {str(name)!r}; there are: {', '.join(problems())}, or the folder of one")
    for part in PARTS:
        if not (folder / part).exists():
            raise UsageError(f"{folder}: {part} is missing; a problem has {', '.join(PARTS)}")
    file = folder / "task.yaml"
    told = _read(file)
    problem = _validated(file, {**told, "folder": folder.resolve(), "data": "lite", "data_seed": seed})
    if seed != DATA_SEED:  # what is known is known of the data of the known seed
        problem = problem.model_copy(update={"starter": None, "trivial": None, "floor": None})
    if not (problem.visible / problem.script).is_file():
        raise UsageError(f"{folder}: visible/{problem.script}, the starter, is missing")
    if tier != Tier.STANDARD:
        return _of_tier(problem, data, tier)
    return problem if data == "lite" else _with_published_data(problem, data, told)


def _of_tier(problem: ResearchProblem, data: Data, tier: Tier | str) -> ResearchProblem:
    """Return a problem on easier or harder small data.

    Raises:
        UsageError: it does not have this tier.
    """
    if data != "lite":
        raise UsageError(f"--tier {tier}: only small data have tiers; use --data lite")
    if tier not in problem.tiers:
        others = ", ".join(name for name in problems() if tier in load_problem(name).tiers)
        raise UsageError(f"{problem.name}: it has no tier {tier}; problems that have it: {others}")
    unknown = {"starter": None, "trivial": None, "floor": None}  # what is known is known of the standard tier
    own = Tier(tier)
    return problem.model_copy(update={**unknown, "tier": own, "marks": problem.tiers[own]})


def _with_published_data(problem: ResearchProblem, data: Data, told: dict[str, object]) -> ResearchProblem:
    """Return a problem with the published data.

    Args:
        problem: with the small data.
        data: `full` or `published`.
        told: what its `task.yaml` says.

    Raises:
        UsageError: it does not have these data.
    """
    if data == "published":
        problem = _as_published(problem, told)
    full = problem.full
    if full is None or full.unavailable or not (problem.hidden / "full.py").is_file():
        why = full.unavailable if full and full.unavailable else "its folder has no hidden/full.py"
        raise UsageError(f"{problem.name}: its published data are not offered: {why}; use --data lite")
    known = {"starter": full.starter, "trivial": full.trivial} if problem.data_seed == DATA_SEED else {}
    own = {"data": data, "bounds": full.bounds or problem.bounds, "floor": None, "marks": None}
    return problem.model_copy(update={**own, "starter": None, "trivial": None, **known})


def published_problem(name: str) -> ResearchProblem:
    """Return a bundled problem as published, also if it is not offered.

    Raises:
        UsageError: its `published/task.yaml` is missing or not valid.
    """
    problem = load_problem(name)
    return _as_published(problem, _read(problem.folder / "task.yaml"))


def _as_published(problem: ResearchProblem, told: dict[str, object]) -> ResearchProblem:
    """Return a problem with what `published/task.yaml` says in place of the same entries of `task.yaml`.

    Marks, starter and the ends of the scale are those of the small data, so they are left out.
    """
    file = problem.folder / "published" / "task.yaml"
    if not file.is_file():
        raise UsageError(f"{problem.name}: it has no published/task.yaml; use --data lite")
    own = {"folder": problem.folder, "data": "published", "data_seed": problem.data_seed}
    without = {key: value for key, value in told.items() if key not in ("marks", "starter", "trivial", "floor")}
    return _validated(file, {"starter": None, **without, **_read(file), **own})


def _read(file: Path) -> dict[str, object]:
    """Return what a YAML file of a problem says.

    Raises:
        UsageError: it is no YAML, or no mapping.
    """
    try:
        return dict(yaml.safe_load(file.read_text()))
    except (yaml.YAMLError, TypeError, ValueError) as error:
        raise UsageError(f"{file}: {' '.join(str(error).split())[:200]}") from error


def _validated(file: Path, told: dict[str, object]) -> ResearchProblem:
    """Return the problem that a file describes.

    Raises:
        UsageError: a value is not allowed; names the file.
    """
    try:
        return ResearchProblem.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"{file}: {where}: {first['msg']}") from error
