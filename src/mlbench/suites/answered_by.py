"""What made the answers of a file: the model, what it was tuned on, and what it was shown."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from mlbench.records import Setting

OTHER, SAME = "ood_train", "id_train"
_TUNED = {
    frozenset[str](): "",
    frozenset({OTHER}): " (tuned, other repositories)",
    frozenset({SAME}): " (tuned, same repositories)",
    frozenset({OTHER, SAME}): " (tuned, other and same repositories)",
}


class AnsweredBy(BaseModel):
    """The field `answered_by` of a line of answers.

    Attributes:
        model: its name in tables, without a path.
        tuned_on: training splits of the suite; those of another suite with its name (`pocket/id_train`); `unknown`.
        split, setting: which rows were asked, and what their prompts showed.
        context_tokens, reply_tokens: the window that prompts were cut to, and how much of it they left for the reply.
        temperature, max_tokens, seed: of the sampling; None if unknown.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)
    model: str = Field(min_length=1, max_length=200)
    tuned_on: tuple[str, ...] = ()
    split: Literal["full", "quarter", "id_train", "ood_train"]
    setting: Setting
    context_tokens: int = Field(gt=0)
    reply_tokens: int = Field(gt=0)
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None

    @property
    def label(self) -> str:
        """The model's name in tables, with what it was tuned on."""
        return tuned_label(self.model, self.tuned_on)


def tuned_label(model: str, tuned_on: Collection[str]) -> str:
    """Name a tuned model as ML-Bench does.

    Args:
        model: name of the base model.
        tuned_on: training splits; other words for other data; empty for the base model itself.
    """
    return model + _TUNED.get(frozenset(tuned_on), " (tuned)")


def tuning_order(tuned_on: Collection[str]) -> int:
    """The place of a model in table 3: not tuned, tuned on other repositories, on the same ones, on other data."""
    known = list(_TUNED)
    return known.index(frozenset(tuned_on)) if frozenset(tuned_on) in known else len(known)
