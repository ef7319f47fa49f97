"""Suites: repositories + recipes + splits. `pocket` is bundled; a folder of the same shape is a suite too.

A suite's rows are built from its recipes, or stand in a file (`rows:`); those that were fetched are in the cache.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from mlbench.records import Role, Sample, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.catalogue import Pinned, pinned, read_entry
from mlbench.repositories.fetch import is_here, verified
from mlbench.suites.recipes import Recipe, load_recipe, verified_segment
from mlbench.suites.rows import Order, RowTask, SuiteRow, plan_rows
from mlbench.suites.rows_io import read_rows
from mlbench.suites.safe_names import Inside, Name

BUNDLED = Path(__file__).parent / "data"
SPLITS = ("full", "quarter", "id_train", "ood_train")
_NAMED = 3
"""So many of the repositories that are lacking are named; where there are more, all are fetched."""


class Repository(BaseModel):
    """One repository of a suite.

    `installed` is the folder of its importable package, where `pip install -e .` would have put it on the path; its
    console scripts are then to be had too. `catalogue`: its files do not stand in the suite; the entry of this name in
    the suite's own folder `catalogue`, or in ours, pins it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Name
    github_id: int
    domain: str
    role: Role
    installed: Inside | None = None
    catalogue: bool = False


class Suite(BaseModel):
    """What `suite.yaml` holds, and where it stands.

    `order` is that of a recipe's combinations: the first rows of a task hold all pairs of values, or are random ones.
    `rows` is the file of the rows where they are not made from recipes (`suites/rows_io.py`), `revision` what they were
    taken from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    root: Path
    name: Name
    version: int
    seed: int
    sizes: dict[str, int]
    code_share: Annotated[float, BeforeValidator(float)]
    repositories: tuple[Repository, ...]
    order: Order = "random"
    rows: Inside | None = None
    revision: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Suite:
        for what in ("name", "github_id"):
            values = [getattr(repository, what) for repository in self.repositories]
            if len(set(values)) < len(values):
                raise ValueError(f"repositories: two have the same {what}")
        if set(self.sizes) != set(SPLITS):
            raise ValueError(f"sizes: exactly these splits are wanted: {', '.join(SPLITS)}")
        if not 0 <= self.sizes["quarter"] <= self.sizes["full"]:
            raise ValueError("sizes: quarter is a part of full and cannot be larger")
        return self

    def repository(self, name: str) -> Repository:
        for repository in self.repositories:
            if repository.name == name:
                return repository
        names = ", ".join(r.name for r in self.repositories)
        raise UsageError(f"no repository {name!r} in suite {self.name}; it has: {names}")

    def repository_of(self, github_id: int) -> Repository:
        for repository in self.repositories:
            if repository.github_id == github_id:
                return repository
        raise UsageError(f"no repository with github_id {github_id} in suite {self.name}")

    def folder(self, name: str) -> Path:
        """Where the repository stands: in the suite's own folder (a candidate never sees that one), or fetched.

        Raises:
            UsageError: it is one of the catalogue's, and not fetched yet.
            RunError: what was fetched is no longer what is pinned.
        """
        if self.repository(name).catalogue:
            return verified(self.pinned(name)).folder
        return self.root / "repositories" / name

    def pinned(self, name: str) -> Pinned:
        """What pins a repository that does not stand in the suite's folder: the suite's own catalogue, or ours."""
        own = self.root / "catalogue" / f"{name}.yaml"
        return read_entry(own) if own.is_file() else pinned(name)

    @property
    def requirements(self) -> Path:
        """The candidates' locked environment."""
        return self.root / "requirements.txt"

    @property
    def executable(self) -> bool:
        """Whether there is an environment in which answers can be executed; else the interface check alone judges."""
        return self.requirements.is_file()

    def recipes(self, repository: str) -> list[Recipe]:
        return [load_recipe(file) for file in self.recipe_files(repository)]

    def recipe_files(self, repository: str) -> list[Path]:
        return sorted((self.root / "recipes" / repository).glob("*.yaml"))

    def tasks(self) -> Iterator[RowTask]:
        """Every recipe with its segment, whose hash is checked.

        Raises:
            UsageError: repositories are not fetched yet; all of them are named at once.
        """
        self.refuse_absent()
        for repository in self.repositories:
            for recipe in (each for each in self.recipes(repository.name) if not each.rejected):
                address = self.pinned(repository.name).url if repository.catalogue else f"{self.name}/{repository.name}"
                yield RowTask(
                    recipe=recipe,
                    oracle=verified_segment(recipe, self.folder(repository.name)),
                    github_id=repository.github_id,
                    github=address,
                    role=repository.role,
                )

    def refuse_absent(self) -> None:
        """Say of all repositories at once that they are lacking, so that nobody fetches eighteen one by one.

        Raises:
            UsageError: some are.
        """
        pins = [self.pinned(each.name) for each in self.repositories if each.catalogue]
        absent = [entry.name for entry in pins if not is_here(entry)]
        if not absent:
            return
        few = len(absent) <= _NAMED
        own = (self.root / "catalogue").is_dir()
        command = [
            "mlbench repos fetch",
            *([f"--suite {shlex.quote(str(self.root))}"] if own else absent if few else []),
        ]
        raise UsageError(
            f"suite {self.name}: {len(absent)} of {len(pins)} repositories are not here yet"
            f" ({', '.join(absent[:_NAMED])}{'' if few else ', …'}): `{' '.join(command)}`"
        )


def bundled() -> list[str]:
    return sorted(file.parent.name for file in BUNDLED.glob("*/suite.yaml"))


def fetched() -> list[str]:
    """The suites whose rows were fetched into the cache."""
    try:
        return sorted(file.parent.name for file in cache_folder("suites").glob("[!.]*/suite.yaml"))
    except OSError:  # there is no cache, and what is not in it can still be used
        return []


def fetched_folder(name: str) -> Path:
    """Where a fetched suite of this name stands, or will stand."""
    return cache_folder("suites") / name


def full_name(name: str) -> str:
    """A name that holds wherever one stands: a bundled or fetched suite's own, the whole path of any other's folder."""
    load_suite(name)  # what does not exist is said under the name that the user gave it
    return name if name in bundled() or name in fetched() else str(Path(name).resolve())


@cache
def load_suite(name: str) -> Suite:
    """A bundled or fetched suite by its name, or any suite by its folder.

    Raises:
        UsageError: no such suite, or its `suite.yaml` is malformed.
    """
    folder = Path(name)
    if name in bundled():
        folder = BUNDLED / name
    elif name in fetched():
        folder = fetched_folder(name)
    file = folder / "suite.yaml"
    if not file.is_file():
        here = ", ".join(bundled() + fetched())
        raise UsageError(
            f"no suite {name!r}: there are {here}; or name a folder with a suite.yaml;"
            " `mlbench suites fetch ml-bench` gets the published rows"
        )
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        return Suite.model_validate({"root": folder.resolve(), **data})
    except (yaml.YAMLError, TypeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{file}: {'.'.join(map(str, first['loc'])) or 'suite'}: {first['msg']}") from error


@cache
def plan_suite(name: str) -> dict[str, list[SuiteRow]]:
    """The rows of every split; a row that comes from a recipe is rendered when its sample is first read."""
    suite = load_suite(name)
    if suite.rows is None:
        return plan_rows(list(suite.tasks()), suite.seed, suite.sizes, suite.code_share, suite.order)
    stored = read_rows(suite.root / suite.rows, {split: suite.sizes[split] for split in SPLITS})
    return {
        split: [SuiteRow(each.id, each.github_id, each.type, partial(_itself, each)) for each in samples]
        for split, samples in stored.items()
    }


def _itself(sample: Sample) -> Sample:
    return sample


def load_rows(name: str) -> dict[str, list[Sample]]:
    """All samples of a suite, by split."""
    return {split: [row.sample for row in rows] for split, rows in plan_suite(name).items()}


def known_split(split: str) -> str:
    """The name of a split.

    Raises:
        UsageError: there is no such split.
    """
    if split not in SPLITS:
        raise UsageError(f"no split {split!r}; there are: {', '.join(SPLITS)}")
    return split


def load_split(name: str, split: str) -> list[Sample]:
    """The samples of one split; the others are not rendered."""
    return [row.sample for row in plan_suite(name)[known_split(split)]]


def row_of(name: str, row: int) -> SuiteRow:
    """The row with this `id`.

    Raises:
        UsageError: the suite has none.
    """
    try:
        return _by_id(name)[row]
    except KeyError:
        raise UsageError(f"suite {name} has no row with id {row}") from None


def sample_of(name: str, row: int) -> Sample:
    """The sample of the row with this `id`; raises as `row_of` does."""
    return row_of(name, row).sample


@cache
def _by_id(name: str) -> dict[int, SuiteRow]:
    return {row.id: row for rows in plan_suite(name).values() for row in rows}


def forget() -> None:
    """Read suites anew: one has changed."""
    for remembered in (load_suite, plan_suite, _by_id):
        remembered.cache_clear()
