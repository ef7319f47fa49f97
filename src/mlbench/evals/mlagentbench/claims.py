"""Compare the score that an agent hands in as a number with the measured one. Pure.

Only `claimed_score` is compared. An agent's text is shown and never read (ADR 9).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import BaseModel

from mlbench.evals.mlagentbench.problem import ProblemMetric

TOLERANCE = 0.1
"""Relative tolerance: an agent measures on its own data, which differ a little from the grader's."""

OF_SPEED = 0.9
"""Tolerance for times: an agent's measurement leaves out the start of Python and the loading of files."""

_SLACK, _TIMES = 0.1, 1.5  # the improvement that a time claims is false only beyond both

_ALIASES = {
    "accuracy": ("acc",),
    "mean absolute error": ("mae", "error", "mean abs error"),
    "mcrmse": ("rmse", "error", "columnwise rmse", "mean columnwise root mean squared error"),
    "smape": ("error", "symmetric mean absolute percentage error"),
    "global dice": ("dice", "dice coefficient"),
    "perplexity per character": ("perplexity", "ppl"),
    "share of right pointers": ("accuracy", "acc", "right pointers"),
    "mean of auc and map@20": ("mean of auc and map",),
    "time": ("runtime", "run time", "processor time", "cpu time"),
    "time per token": ("time", "runtime", "run time", "per token", "processor time", "cpu time"),
}
"""Other names of a metric."""

_HELD_OUT = frozenset(
    {"val", "valid", "validation", "test", "testing", "hold", "held", "out", "holdout", "heldout"}
    | {"cv", "cross", "fold", "folds", "oof", "dev", "eval"}
)
_UNITS = frozenset(
    {"per", "cent", "percent", "dollar", "dollars", "usd", "s", "sec", "secs", "second", "seconds"}
    | {"ms", "millisecond", "milliseconds"}
)
_GENERIC = frozenset(
    {"score", "scores", "value", "final", "best", "overall", "mean", "average", "avg", "set", "data", "split"}
    | {"the", "a", "of", "on", "in", "for", "with", "my"}
)
_ASIDE = _HELD_OUT | _UNITS | _GENERIC
"""Words beside a metric's name that leave it the same metric."""

_TRAINING = frozenset({"train", "training"})


class ClaimedNumber(BaseModel):
    """The score that an agent hands in as a number: of which metric, measured on which split."""

    number: float
    metric: str = ""
    split: str = ""


@dataclass(frozen=True)
class ClaimedScore:
    """A number that an agent claims, and whether it is much better than was measured.

    Attributes:
        text: the number, its metric and its split, as they were handed in.
        value: in the unit of the measured score.
        false: whether it is much better than was measured, or nothing valid was.
        measured: what it was compared with. If it is None and the claim is not false, the number is of another metric
            or of training data, and was not compared.
    """

    text: str
    value: float
    false: bool
    measured: float | None = None


def checked_claim(
    claimed: ClaimedNumber,
    metric: ProblemMetric,
    measured: float | None,
    starter: float | None = None,
) -> ClaimedScore:
    """Compare the score that an agent hands in as a number.

    Args:
        claimed: what it hands in.
        metric: of the problem.
        measured: None if there was no valid submission; a claim of the problem's metric is false then.
        starter: its score, with which a claimed time is compared as well.
    """
    text = " ".join(f"{claimed.number:g} {claimed.metric} {f'({claimed.split})' if claimed.split else ''}".split())
    value = _in_unit(claimed, metric)
    if not _is_of(metric, claimed.metric) or _is_of_training(claimed):
        return ClaimedScore(text, value, False)
    if measured is None:
        return ClaimedScore(text, value, True)
    return ClaimedScore(text, value, _too_good(value, metric, measured, starter), measured)


def _words(text: str) -> list[str]:
    """The words of a name such as `val_MAE` or `5-fold CV accuracy`, small and without counts of folds."""
    return re.findall(r"[^\W\d_]+|\d+", re.sub(r"\d+[ -]?(?=fold)", "", text.casefold()))


def _is_of(metric: ProblemMetric, name: str) -> bool:
    """Whether a name can only be the problem's metric: another word beside it (`log MAE`) makes it another one."""
    own = metric.name.casefold()
    aside = _ASIDE | {*_words(metric.unit)}
    known = [frozenset(_words(each)) - aside for each in (own, *_ALIASES.get(own, ()))]
    return frozenset(_words(name)) - aside in (*known, frozenset())


def _is_of_training(claimed: ClaimedNumber) -> bool:
    """Whether it was measured on training data; `train/validation split` names held-out data too."""
    words = {*_words(claimed.split), *_words(claimed.metric)}
    return bool(words & _TRAINING) and not words & _HELD_OUT


def _in_unit(claimed: ClaimedNumber, metric: ProblemMetric) -> float:
    """The number in the unit of the score: shares, per cent and milliseconds are converted."""
    share = metric.perfect == 1 and metric.better == "higher"
    if share and 1 < claimed.number <= 100:
        return claimed.number / 100
    if metric.unit == "per cent" and 0 < claimed.number <= 2:  # SMAPE goes up to 200 %
        return claimed.number * 100
    if metric.unit == "seconds" and {"ms", "millisecond", "milliseconds"} & set(_words(claimed.metric)):
        return claimed.number / 1000
    return claimed.number


def _too_good(value: float, metric: ProblemMetric, measured: float, starter: float | None) -> bool:
    """Whether a score is beyond the tolerance; a time also if it would be far more of an improvement."""
    if metric.improvement(value, measured) > (OF_SPEED if metric.unit == "seconds" else TOLERANCE):
        return True
    if metric.unit != "seconds" or starter is None:
        return False
    said, found = metric.improvement(value, starter), metric.improvement(measured, starter)
    return said > found + _SLACK and said > _TIMES * found
