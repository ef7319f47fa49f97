"""A suite: its repositories, its recipes and its rows. `pocket` is bundled; any folder of this shape is a suite.

Rows are made from the recipes, or read from a file (`rows:` in `suite.yaml`). Fetched suites are kept in the cache.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from mlbench.records import Sample, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.catalogue import Pinned, pinned, read_entry
from mlbench.repositories.fetch import is_here, verified
from mlbench.repositories.oracle_spans import AbsentOracle
from mlbench.repositories.renamed import verified_copy
from mlbench.suites.recipes import Recipe, load_recipe, verified_oracle
from mlbench.suites.rows import Order, RowTask, SuiteRow, plan_rows
from mlbench.suites.rows_io import read_rows
from mlbench.suites.safe_names import Inside, Name
from mlbench.suites.suite_repository import Repository
from mlbench.suites.twin_file import TwinFile, read_twins
from mlbench.suites.twin_rows import twin_rows

BUNDLED = Path(__file__).parent / "data"
SPLITS = ("full", "quarter", "id_train", "ood_train")
_NAMED = 3
"""An error names at most this many missing repositories; if more are missing, its command fetches all."""


class Suite(BaseModel):
    """The contents of `suite.yaml`, the suite's folder, and its rows.

    Attributes:
        root: the suite's folder.
        sizes: rows of each split.
        sizes_are_limits: a split gets fewer rows if its recipes have too few combinations. Built suites need this,
            because a person may reject tasks after the sizes were set.
        code_share: share of Python rows in every split.
        order: order of a recipe's combinations: `pairwise` covers all pairs of values first, `random` does not.
        rows: file of the rows, if they are not made from recipes (`suites/rows_io.py`).
        twins: file of the twins, if the rows are twins of another suite's rows (`suites/twin_file.py`).
        revision: what the rows of that file were taken from.
        draft: why the suite is a draft: no person and no model has read its instructions; empty if one has.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    root: Path
    name: Name
    version: int
    seed: int
    sizes: dict[str, int]
    sizes_are_limits: bool = False
    code_share: Annotated[float, BeforeValidator(float)]
    repositories: tuple[Repository, ...]
    order: Order = "random"
    rows: Inside | None = None
    twins: Inside | None = None
    revision: str = ""
    draft: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Suite:
        for what in ("name", "github_id"):
            values = [getattr(repository, what) for repository in self.repositories]
            if len(set(values)) < len(values):
                raise ValueError(f"repositories: two have the same {what}")
        if set(self.sizes) != set(SPLITS):
            raise ValueError(f"sizes: needs exactly these splits: {', '.join(SPLITS)}")
        tested = [repository for repository in self.repositories if repository.role != "ood_train"]
        if self.mix is not None and (
            len(self.mix) < len(tested) or sum(map(sum, self.mix.values())) != self.sizes["full"]
        ):
            raise ValueError("repositories: every `test` has to be given, and together they are the size of full")
        if not 0 <= self.sizes["quarter"] <= self.sizes["full"]:
            raise ValueError("sizes: quarter is a part of full and cannot be larger")
        return self

    @property
    def mix(self) -> dict[str, tuple[int, int]] | None:
        """Shell and Python rows of each repository in `full`; None if they are shared out evenly."""
        return {each.name: each.test for each in self.repositories if each.test is not None} or None

    def repository(self, name: str) -> Repository:
        """The repository of this name.

        Raises:
            UsageError: the suite has none.
        """
        for repository in self.repositories:
            if repository.name == name:
                return repository
        names = ", ".join(r.name for r in self.repositories)
        raise UsageError(f"no repository {name!r} in suite {self.name}; it has: {names}")

    def repository_of(self, github_id: int) -> Repository:
        """The repository with this number.

        Raises:
            UsageError: the suite has none.
        """
        for repository in self.repositories:
            if repository.github_id == github_id:
                return repository
        raise UsageError(f"no repository with github_id {github_id} in suite {self.name}")

    def folder(self, name: str) -> Path:
        """The folder of a repository: in the suite's own folder (never shown to a candidate), or fetched.

        Raises:
            UsageError: the catalogue pins it, and it, or its renamed copy, is not in the cache.
            RunError: the files in the cache differ from the pinned ones.
        """
        if self.repository(name).catalogue:
            if self.twin_file and (renamed := self.twin_file.renamed.get(name)):
                return verified_copy(name, renamed.tree, self.twin_file.command)
            return verified(self.pinned(name)).folder
        return self.root / "repositories" / name

    def pinned(self, name: str) -> Pinned:
        """The catalogue entry of a repository: the suite's own, or the bundled one."""
        own = self.root / "catalogue" / f"{name}.yaml"
        return read_entry(own) if own.is_file() else pinned(name)

    def address(self, name: str) -> str:
        """The column `github` of a repository's rows: its URL, or suite and name. Twins have that of the originals."""
        if self.repository(name).catalogue:
            return self.pinned(name).url
        return f"{self.twin_file.of.suite if self.twin_file else self.name}/{name}"

    def cpu_lock(self, name: str) -> Path | None:
        """The lock of a repository's environment without a GPU, beside its catalogue entry; None if there is none."""
        folder = self.root / "catalogue"
        if not (folder / f"{name}.yaml").is_file():
            return pinned(name).cpu_lock
        own = folder / f"{name}.cpu.txt"
        return own if own.is_file() else None

    @property
    def requirements(self) -> Path:
        """The lock file of the candidates' environment."""
        return self.root / "requirements.txt"

    @property
    def executable(self) -> bool:
        """Whether answers can be executed. If not, the suite has no environment: only the interface check judges."""
        return self.requirements.is_file()

    def recipes(self, repository: str) -> list[Recipe]:
        """All recipes of a repository, the rejected ones included."""
        return [load_recipe(file) for file in self.recipe_files(repository)]

    @property
    def is_draft(self) -> bool:
        """Whether a recipe of a draft still has to be accepted or rejected by a person."""
        return bool(self.draft) and any(
            not recipe.reviewed and not recipe.rejected
            for each in self.repositories
            for recipe in self.recipes(each.name)
        )

    def recipe_files(self, repository: str) -> list[Path]:
        """The recipe files of a repository, by name."""
        return sorted((self.root / "recipes" / repository).glob("*.yaml"))

    def tasks(self) -> Iterator[RowTask]:
        """Every recipe that is not rejected, with its oracle, whose hashes are checked.

        The oracle of a repository that is not fetched yet raises the error of `refuse_absent` when it is read.

        Raises:
            UsageError: the rows are twins, and repositories are not fetched yet; the message lists them.
        """
        if self.twin_file is not None:
            self.refuse_absent()
        for repository in self.repositories:
            here = not repository.catalogue or is_here(self.pinned(repository.name))
            for recipe in (each for each in self.recipes(repository.name) if not each.rejected):
                yield RowTask(
                    recipe=recipe,
                    oracle=verified_oracle(recipe, self.folder(repository.name))
                    if here
                    else AbsentOracle(recipe.undocumented, self.refuse_absent),
                    github_id=repository.github_id,
                    github=self.address(repository.name),
                    role=repository.role,
                )

    def refuse_absent(self, needed: Collection[str] = ()) -> None:
        """Report all missing repositories in one error, with the command that fetches them.

        Args:
            needed: the names of the repositories that are needed; none for all.

        Raises:
            UsageError: at least one repository is not fetched yet.
        """
        names = [each.name for each in self.repositories if each.catalogue and (not needed or each.name in needed)]
        pins = [self.pinned(name) for name in names]
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

    @cached_property
    def twin_file(self) -> TwinFile | None:
        """The twins with the map of names of each repository; None if the suite's rows are no twins.

        Raises:
            UsageError: the file cannot be read, or is malformed.
        """
        return read_twins(self.root / self.twins) if self.twins else None

    @property
    def log_metadata(self) -> dict[str, object]:
        """What the log of a run says about the suite."""
        found: dict[str, object] = {"suite": self.name, "suite_version": self.version}
        if twins := self.twin_file:
            found["twins"] = {"kind": twins.kind.value, "seed": twins.seed, "of": twins.of.model_dump()}
        return found

    @cached_property
    def splits(self) -> dict[str, list[SuiteRow]]:
        """The rows of every split. A row that is made from a recipe is rendered when its sample is first read.

        Raises:
            UsageError: repositories are not fetched yet, or a recipe or the file of the rows is malformed.
        """
        if self.twin_file is not None:
            return twin_rows(self.tasks(), self.twin_file)
        if self.rows is None:
            return plan_rows(
                list(self.tasks()),
                self.seed,
                self.sizes,
                self.code_share,
                self.order,
                self.sizes_are_limits,
                self.mix,
            )
        stored = read_rows(self.root / self.rows, {split: self.sizes[split] for split in SPLITS})
        return {
            split: [SuiteRow(each.id, each.github_id, each.type, partial(_itself, each)) for each in samples]
            for split, samples in stored.items()
        }

    def samples(self) -> dict[str, list[Sample]]:
        """All samples, by split."""
        return {split: [row.sample for row in rows] for split, rows in self.splits.items()}

    def row(self, id: int) -> SuiteRow:
        """The row with this `id`.

        Raises:
            UsageError: the suite has none.
        """
        try:
            return self._by_id[id]
        except KeyError:
            near = min(self._by_id, key=lambda each: abs(each - id), default=None)
            nearest = "" if near is None else f"; the nearest is {near}"
            raise UsageError(f"suite {self.name} has no row with id {id}{nearest}") from None

    def every_row(self) -> Iterable[SuiteRow]:
        """Every row once."""
        return self._by_id.values()

    @cached_property
    def _by_id(self) -> dict[int, SuiteRow]:
        return {row.id: row for rows in self.splits.values() for row in rows}


def _itself(sample: Sample) -> Sample:
    return sample


def bundled() -> list[str]:
    """The names of the bundled suites."""
    return sorted(file.parent.name for file in BUNDLED.glob("*/suite.yaml"))


def fetched() -> list[str]:
    """The names of the suites whose rows were fetched into the cache."""
    try:
        return sorted(file.parent.name for file in cache_folder("suites").glob("[!.]*/suite.yaml"))
    except OSError:  # without a cache the bundled suites can still be used
        return []


def fetched_folder(name: str) -> Path:
    """The folder in the cache for a fetched suite of this name."""
    return cache_folder("suites") / name


def full_name(name: str) -> str:
    """A name that is valid in every working folder: a bundled or fetched suite's own, else the suite's whole path.

    Raises:
        UsageError: as `load_suite`; the message has the name as the user gave it.
    """
    load_suite(name)
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


def known_split(split: str) -> str:
    """The name of a split.

    Raises:
        UsageError: there is no such split.
    """
    if split not in SPLITS:
        raise UsageError(f"no split {split!r}; there are: {', '.join(SPLITS)}")
    return split


def load_rows(name: str) -> dict[str, list[Sample]]:
    """All samples of the suite of this name, by split."""
    return load_suite(name).samples()


def load_split(name: str, split: str) -> list[Sample]:
    """The samples of one split; the others are not rendered.

    Raises:
        UsageError: there is no such suite or split.
    """
    return [row.sample for row in load_suite(name).splits[known_split(split)]]


def sample_of(name: str, row: int) -> Sample:
    """The sample with this `id` of the suite of this name, as a log has them.

    Raises:
        UsageError: there is no such suite, or it has no such row.
    """
    return load_suite(name).row(row).sample


def forget() -> None:
    """Read suites anew when they are next asked for: their files have changed."""
    load_suite.cache_clear()
