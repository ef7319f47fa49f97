"""What a tuned model's folder says of itself: its base, and what it was tuned on."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.atomic_write import write_file
from mlbench.records import UsageError
from mlbench.suites.answered_by import TunedRepositories
from mlbench.suites.suite import Suite, load_suite

FILE = "mlbench.json"
UNKNOWN = "unknown"
"""Stands for data whose split is not known."""


class TunedModel(BaseModel):
    """The file `mlbench.json` beside the weights of a tuned model.

    Attributes:
        model: name of the base model, without a path.
        tuned_on: training splits with their suites, `pocket/id_train`; empty for a base model.
        repositories: the addresses of the repositories of the examples; None if they are not known.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    model: str = Field(min_length=1, max_length=200)
    tuned_on: tuple[str, ...] = ()
    repositories: tuple[str, ...] | None = None

    def beside(self, suite: str) -> tuple[str, ...]:
        """What the model was tuned on, as a reader of another suite's results has to know it.

        The splits of that suite lose its name. Those of other suites keep theirs: their `id_train` has the same
        repositories as *their* test rows.

        Args:
            suite: name of the suite that the model is tested on, or of the originals of its twins.
        """
        return tuple(sorted(each.removeprefix(f"{suite}/") for each in self.tuned_on))

    def compared_with(self, asked: Collection[str]) -> TunedRepositories | None:
        """Whether the model was tuned on the repositories that it is asked about, on others, or on both.

        Args:
            asked: the addresses of the repositories of the rows that are asked.

        Returns:
            None for a base model, or if the repositories of its examples are not known.
        """
        if not self.tuned_on or self.repositories is None:
            return None
        found = {address in asked for address in self.repositories}
        both = {True: TunedRepositories.SAME, False: TunedRepositories.OTHER}
        return TunedRepositories.BOTH if len(found) > 1 else both[found.pop()] if found else None


def tuned_model(model: str, adapter: Path | None = None) -> TunedModel:
    """What a model was tuned on. An adapter of a base with another name is said, and used.

    Args:
        model: a folder, or a name on the Hub.
        adapter: folder of a LoRA adapter that is put on it.

    Raises:
        UsageError: a folder's `mlbench.json` cannot be read.
    """
    base = _read(Path(model)) or TunedModel(model=_name(model))
    if adapter is None:
        return base
    own = _read(adapter) or TunedModel(model=base.model, tuned_on=(UNKNOWN,))
    if own.model != base.model:
        print(f"mlbench: note: {adapter} was trained on {own.model}, not on {base.model}", file=sys.stderr)
    return _tuned_further(base, own.tuned_on, own.repositories)


def write_tuned(folder: Path, base: str, splits: Iterable[str], repositories: Iterable[str] | None) -> None:
    """Write what a model was tuned on beside its weights.

    Args:
        folder: of the tuned model.
        base: the model that was tuned.
        splits: the splits of its examples, as `suite_split` names them.
        repositories: the addresses of their repositories; None if they are not known.
    """
    write_record(folder, _tuned_further(tuned_model(base), splits, repositories))


def write_record(folder: Path, about: TunedModel) -> None:
    """Write `mlbench.json` into the folder of a model."""
    write_file(folder / FILE, about.model_dump_json(indent=2) + "\n")


def asked_repositories(suite: Suite, split: str) -> set[str]:
    """The addresses of the repositories of a split; of twins, those of all originals, and of `quarter`, of `full`.

    A model then has one label for a part of the rows, for all of them and for their twins.
    """
    if (twins := suite.twin_file) is not None:
        with suppress(UsageError):  # twins can be asked without their original
            suite, split = load_suite(twins.of.suite), twins.of.split
    rows = suite.splits["full" if split == "quarter" else split]
    return {suite.address(suite.repository_of(row.github_id).name) for row in rows}


def suite_split(record: Mapping[str, object]) -> str:
    """The split of a training example with its suite: `pocket/id_train`. Twins belong to the suite of their originals.

    Args:
        record: an example that `mlbench train export` wrote, or another one.
    """
    split, suite = record.get("split"), record.get("twins_of") or record.get("suite")
    return UNKNOWN if not split else f"{suite}/{split}" if suite else str(split)


def known_repositories(addresses: Iterable[str | None]) -> set[str] | None:
    """The different addresses; None if one is not known."""
    found = set(addresses)
    return None if None in found else {each for each in found if each is not None}


def _tuned_further(base: TunedModel, splits: Iterable[str], repositories: Iterable[str] | None) -> TunedModel:
    """A model that was tuned on more data than its base."""
    before = base.repositories if base.tuned_on else ()
    known = None if before is None or repositories is None else _joined(before, repositories)
    return TunedModel(model=base.model, tuned_on=_joined(base.tuned_on, splits), repositories=known)


def _joined(*groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({each for group in groups for each in group}))


def _name(model: str) -> str:
    """The name of a model without the path of its folder."""
    return Path(model).resolve().name if Path(model).is_dir() else model


def _read(folder: Path) -> TunedModel | None:
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return TunedModel.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{file}: cannot be read; remove it, and name the model with --name") from error
