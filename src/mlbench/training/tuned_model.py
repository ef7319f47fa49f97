"""What a tuned model's folder says of itself: its base, and what it was tuned on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.atomic_write import write_file
from mlbench.records import UsageError

FILE = "mlbench.json"
UNKNOWN = "unknown"
"""Stands for data whose split is not known."""


class TunedModel(BaseModel):
    """The file `mlbench.json` beside the weights of a tuned model.

    Attributes:
        model: name of the base model, without a path.
        tuned_on: training splits with their suites, `pocket/id_train`; empty for a base model.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    model: str = Field(min_length=1, max_length=200)
    tuned_on: tuple[str, ...] = ()

    def beside(self, suite: str) -> tuple[str, ...]:
        """What the model was tuned on, as a reader of another suite's results has to know it.

        The splits of that suite lose its name. Those of other suites keep theirs: their `id_train` has the same
        repositories as *their* test rows.

        Args:
            suite: name of the suite that the model is tested on, or of the originals of its twins.
        """
        return tuple(sorted(each.removeprefix(f"{suite}/") for each in self.tuned_on))


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
    return TunedModel(model=base.model, tuned_on=_joined(base.tuned_on, own.tuned_on))


def write_tuned(folder: Path, base: str, splits: Iterable[str]) -> None:
    """Write what a model was tuned on beside its weights.

    Args:
        folder: of the tuned model.
        base: the model that was tuned.
        splits: the splits of its examples, as `suite_split` names them.
    """
    before = tuned_model(base)
    now = TunedModel(model=before.model, tuned_on=_joined(before.tuned_on, splits))
    write_file(folder / FILE, now.model_dump_json(indent=2) + "\n")


def suite_split(record: Mapping[str, object]) -> str:
    """The split of a training example with its suite: `pocket/id_train`. Twins belong to the suite of their originals.

    Args:
        record: an example that `mlbench train export` wrote, or another one.
    """
    split, suite = record.get("split"), record.get("twins_of") or record.get("suite")
    return UNKNOWN if not split else f"{suite}/{split}" if suite else str(split)


def _joined(*groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({split for group in groups for split in group}))


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
