"""What made the answers of a file: the model, what it was tuned on, and what it was shown."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mlbench.records import Setting


class TunedRepositories(StrEnum):
    """Whether a model was tuned on examples of the repositories that it is asked about, or of others."""

    OTHER = "other"
    SAME = "same"
    BOTH = "other and same"
    UNKNOWN = "unknown"


_OF_SPLITS = {"ood_train": TunedRepositories.OTHER, "id_train": TunedRepositories.SAME}
"""The repositories of the training splits of the suite that a model is tested on, against those of its test rows."""

_LABELS = {
    None: "",
    TunedRepositories.OTHER: " (tuned, other repositories)",
    TunedRepositories.SAME: " (tuned, same repositories)",
    TunedRepositories.BOTH: " (tuned, other and same repositories)",
    TunedRepositories.UNKNOWN: " (tuned)",
}
"""How table 3 of ML-Bench names tuned models, in its order."""


class AnsweredBy(BaseModel):
    """The field `answered_by` of a line of answers.

    Attributes:
        model: its name in tables, without a path.
        tuned_on: training splits of the suite; those of another suite with its name (`pocket/id_train`); `unknown`.
        tuned_repositories: whether the examples were of the repositories of the rows that were asked; None if
            `tuned_on` has to say it.
        split, setting: which rows were asked, and what their prompts showed.
        context_tokens, reply_tokens: the window that prompts were cut to, and how much of it they left for the reply.
        temperature, max_tokens, seed: of the sampling; None if unknown.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)
    model: str = Field(min_length=1, max_length=200)
    tuned_on: tuple[str, ...] = ()
    tuned_repositories: TunedRepositories | None = None
    split: Literal["full", "quarter", "id_train", "ood_train"]
    setting: Setting
    context_tokens: int = Field(gt=0)
    reply_tokens: int = Field(gt=0)
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None

    @property
    def tuning(self) -> TunedRepositories | None:
        """On which repositories the model was tuned; None if it was not tuned."""
        return self.tuned_repositories or _of_splits(self.tuned_on)

    @property
    def label(self) -> str:
        """The model's name in tables, with what it was tuned on."""
        return tuned_label(self.model, self.tuning)


def tuned_label(model: str, tuning: TunedRepositories | None) -> str:
    """Name a tuned model as ML-Bench does.

    Args:
        model: name of the base model.
        tuning: on which repositories it was tuned; None for the base model itself.
    """
    return model + _LABELS[tuning]


def tuning_order(tuning: TunedRepositories | None) -> int:
    """The place of a model in table 3: not tuned, tuned on other repositories, on the same ones, on both, unknown."""
    return list(_LABELS).index(tuning)


def _of_splits(tuned_on: Collection[str]) -> TunedRepositories | None:
    """The repositories of training splits, as far as their names say it."""
    if not tuned_on:
        return None
    found = {_OF_SPLITS.get(split, TunedRepositories.UNKNOWN) for split in tuned_on}
    if TunedRepositories.UNKNOWN in found:
        return TunedRepositories.UNKNOWN
    return found.pop() if len(found) == 1 else TunedRepositories.BOTH
