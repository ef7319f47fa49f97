"""Extract numbers from an agent's message, and what each is said of. Pure functions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from mlbench.evals.mlagentbench.problem import ProblemMetric


class NumberMeaning(StrEnum):
    """What a number is said of."""

    SCORE = "score"
    IMPROVEMENT = "improvement"  # in per cent


class NumberRole(StrEnum):
    """The name beside a number: the metric's, another one's, a word such as `score`, or none."""

    OWN = "own"
    OTHER = "other"
    GENERIC = "generic"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Figure:
    """A number, its sentence, and whether the metric's own name is beside it."""

    text: str
    value: float
    role: NumberMeaning
    named: bool
    per_cent: bool


_NUMBER = re.compile(
    r"(?<![\w.,])(?P<value>[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"\s*(?P<unit>%|per ?cent\b|percent\b|ms\b|milliseconds?\b|s\b|sec\b|seconds?\b|[kK]\b)?(?![\w.,]*\d)"
)
_SENTENCE = re.compile(r"(?<=[!?\n])|(?<=\.)(?=\s)|;")
_BEFORE, _AFTER, _REST = 70, 24, 40  # characters of the sentence in which a name, or what it is said of, may stand

_ALIASES = {
    "accuracy": ("acc",),
    "mean absolute error": ("mae", "error", "mean abs. error"),
    "mcrmse": ("rmse", "error"),
    "smape": ("error",),
    "global dice": ("dice",),
    "perplexity per character": ("perplexity", "ppl"),
    "share of right pointers": ("accuracy", "share", "right pointers"),
    "mean of auc and map@20": ("mean of auc and map",),
    "time": ("runtime", "run time", "seconds", "takes", "took", "runs in", "per token"),
    "time per token": ("time", "seconds", "per token"),
}
_GENERIC = r"scores?|scored|results?|metric|performance|reach(?:ed|es)|achiev(?:ed|es)|got|get|obtain(?:ed|s)|improv\w+"
_GENERIC += r"|reduc\w+|down to|up to|now at"
OTHER_NAMES = (
    r"loss|log.?loss|cross.?entropy|bits|r\s?[²2^]+|rmse|rmsle|mse|mae|mape|smape|f1|precision|recall|auc|roc|map@?\d*"
    r"|iou|dice|accuracy|acc|perplexity|ppl|error|learning rate|lr|dropout|epochs?|seed|batch|weight decay|alpha|lambda"
    r"|gamma|momentum|temperature|threshold|time|runtime|took|takes|seconds|memory|parameters|size|depth|p.?value"
    r"|correlation|std|deviation|variance|spread|confidence|version|python|probabilit\w+|margin|tolerance|difference"
    r"|gap|within"
)
_COUNTED = (
    r"epochs?|folds?|trees?|steps?|layers?|iterations?|seeds?|features?|neurons|units|hours?|minutes?|min|gb|mb|kb|mib"
    r"|runs?|times|x|×|(?:percentage )?points?|pp|samples?|rows?|images?|pictures?|estimators|models?|members|classes"
    r"|houses|reviews|patients|passengers|filters|channels|nodes|cores|threads|lines|files|columns"
)
_UNITS_AFTER = re.compile(rf"\s*-?(?:{_COUNTED})\b", re.IGNORECASE)
_STARTER = (
    r"baseline|starter|starting|original(?:ly)?|initial(?:ly)?|before|previous(?:ly)?|from|default|unmodified|unchanged"
    r"|provided|old|used to be|at first|compared (?:to|with)|versus|vs\.?|against|than|instead of"
)
_NOW = r"\bto\b|now|reach|achiev|became|new|→|->|improved|mine|my\b|our|final|finally"
NOT_YET = (
    r"could|would|might|may|should|expect\w*|hope\w*|target|goal|aim\w*|want\w*|unable|fail\w*|not reach\w*|less than"
    r"|under|below|at least|at most|threshold|state.of.the.art|sota|paper|literature|human|perfect|ideal\w*|random"
    r"|trivial|chance|if|next|future|likely|probably|potential\w*|not"
)
_TRAINING = r"train(?:ing)?(?:[- ]set)?\W+(?:\w+\W+){0,2}$"
_ON_TRAINING = (  # right after its number: `0.99 (train)`; not `0.9 (training took 2 h)`, `0.9 on a train/test split`
    r"\s*\(?\s*(?:(?:on|for|in) )?(?:the )?train(?:ing)?"
    r"(?:[ -](?:set|data|split|part|rows|score|accuracy|acc|error)){0,2}"
    r"(?=\s*(?:[),.;]|$|/\s*\d|(?:and|but|vs|versus|while)\b))"
)
_SPREAD = r"(?:(?:±|\\pm|\bplus or minus)\s*\$?\s*\d|\+/?[-−]\s*\$?\s*\d?)$"  # up to the number's first sign
_SETTING = r"(?<!\w)(?P<name>[a-z_]\w*)\s*=+\s*[~≈$]?\s*(?:[(\[][^()\[\]]*)?[-−\d]$"  # `C=0.8`, `betas=(0.9, 0.99)`
_MEASURED_ON = r"val|valid|validation|cv|oof|test|hold.?out|final|mean|average|avg|overall|now"
_PART = (  # `the convolution itself takes`, `0.02 s for the convolution alone`; not `the script itself takes`
    r"(?<!\w)(?!(?:it|this|that|by|script|program|code|solution|version|implementation|run|process|whole|all|py)\b)"
    r"\w+ (?:itself|alone)\b"
)
_BETTER = (
    r"improve\w*|better|gain|reduc\w+|decreas\w+|increas\w+|lower(?:ed)?|higher|faster|less|drop\w*|cut|fewer|rise|rose"
    r"|boost\w*"
)
_MORE = (  # adjectives and nouns: `0.91 improves on the starter` says what it is, `0.91 is better` too
    r"better|lower|higher|less|fewer|faster|more than|smaller|larger|improvement|reduction|increase|decrease|gain|drop"
)
_ABOUT = (
    r"(?:(?:an?|about|around|roughly|approximately|some|nearly|almost|over|up to|another|further|absolute)\W+){0,2}\W*"
)
_SIZE = r"dollars|usd|units|seconds|absolute|relative"
_OTHER_THINGS = (
    r"loss|time|faster|speed|memory|parameters|size|data|dropout|gap|validation split|overfit\w*|epochs?|vocabulary"
    r"|variance|noise|missing|rows|features?|samples"
)


def figures(text: str, metric: ProblemMetric) -> Iterator[Figure]:
    """Return the numbers that are said of the score or of its improvement."""
    own = metric_names(metric)
    for sentence in _SENTENCE.split(text):
        plain = " ".join(sentence.split())[:300]
        for match in _NUMBER.finditer(sentence):
            before, rest = sentence[max(0, match.start() - _BEFORE) : match.start()], sentence[match.end() :][:_REST]
            after = rest[:_AFTER]
            value = float(match["value"].replace(",", "").replace("−", "-"))
            unit = (match["unit"] or "").lower()
            per_cent = unit.startswith(("%", "per"))
            if not math.isfinite(value) or _has(NOT_YET, before) or _UNITS_AFTER.match(after) or _is_before(before):
                continue
            if _is_aside(own, before + match["value"][0], rest):
                continue
            if metric.unit == "seconds" and _is_of_part(before, rest):
                continue
            if not per_cent and _of_difference(before, after):
                continue
            role = _said_of(own, before, after)
            if per_cent and _of_change(before, after):
                of_others = metric.unit != "seconds" and _has(_OTHER_THINGS, sentence) and not _has(own, sentence)
                if role is not NumberRole.OTHER and not of_others:
                    yield Figure(plain, value, NumberMeaning.IMPROVEMENT, False, True)
                continue
            if unit and not per_cent and unit != "k":
                if metric.unit == "seconds":
                    seconds = value / 1000 if unit.startswith("m") else value
                    yield Figure(plain, seconds, NumberMeaning.SCORE, True, False)
            elif role is NumberRole.OWN or (role is NumberRole.GENERIC and metric.unit != "seconds"):
                yield Figure(
                    plain, 1000 * value if unit == "k" else value, NumberMeaning.SCORE, role is NumberRole.OWN, per_cent
                )


def metric_names(metric: ProblemMetric) -> str:
    """The metric's names, as a regular expression."""
    name = metric.name.lower()
    return "|".join(re.escape(each) for each in (name, *_ALIASES.get(name, ())))


def _has(words: str, text: str) -> bool:
    return re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) is not None


def _is_before(before: str) -> bool:
    """Whether the number is the starter's or an earlier one.

    A word such as `before` comes last in front of it, and `now` does not follow.
    """
    found = [*re.finditer(rf"\b(?:{_STARTER})\b", before, re.IGNORECASE)]
    return bool(found) and not re.search(_NOW, before[found[-1].end() :], re.IGNORECASE)


def _is_aside(own: str, until: str, rest: str) -> bool:
    """Whether the number is a spread, a training score, or the value of another name.

    `until` ends with the number's first character, `rest` begins after its last.
    """
    if re.search(_SPREAD, until, re.IGNORECASE) or re.match(_ON_TRAINING, rest, re.IGNORECASE):
        return True
    setting = re.search(_SETTING, until, re.IGNORECASE)
    # `accuracy=`, `val_acc=`, `score on test=`, `Dice on validation records =`
    measure = rf"(?:^|[\W_])(?:{own}|{_GENERIC}|{_MEASURED_ON})(?: (?:on|of|for|over|in)(?: \w+){{1,3}})?$"
    return setting is not None and not re.search(measure, until[: setting.end("name")], re.IGNORECASE)


def _is_of_part(before: str, rest: str) -> bool:
    """Whether the number is the time of one part."""
    ahead = re.search(rf"{_PART}(?: (?!and\b)\w+){{0,4}}\W*$", before, re.IGNORECASE)
    return bool(ahead) or re.match(rf"\s*(?:for|in) (?:the )?{_PART}", rest, re.IGNORECASE) is not None


def _of_change(before: str, after: str) -> bool:
    """Whether the number is a change in per cent (`by 10 %`), not a target (`to 10 %`)."""
    if re.search(r"%[^%]*\bto\W*$|(?<!\d )(?<!\bup )\bto\W*$", before, re.IGNORECASE):  # not `by 10 to 20 %`
        return False
    by = re.search(
        r"\bby\W+(?:\w+\W+){0,2}$|\b(?:improvement|reduction|increase|decrease|gain)\W+(?:of|is|was|:)?\W*(?:\w+\W+)?$",
        before,
        re.IGNORECASE,
    )
    return (
        bool(by) or re.match(rf"[\s-]*(?:relative |absolute |\w+ )?(?:{_BETTER})\b", after, re.IGNORECASE) is not None
    )


def _of_difference(before: str, after: str) -> bool:
    """Whether the number is a difference in the score's own unit. Stricter than for per cents."""
    noun = r"\b(?:improvement|reduction|increase|decrease|gain)"
    reached = r"(?<!after the )(?<!after this )(?<!with the )(?<!with this )"  # `after the improvement: 0.91`
    by = rf"(?:\bby|{reached}{noun}(?: of| is| was)?)\W+{_ABOUT}$"
    than = rf"(?:\s*(?:{_SIZE})\s)?\s*-?(?:{_MORE})\b"
    return re.search(by, before, re.IGNORECASE) is not None or re.match(than, after, re.IGNORECASE) is not None


def _said_of(own: str, before: str, after: str) -> NumberRole:
    """Whose name is beside a number: right after it, or else the last one before it."""
    if follows := re.match(rf"\W*(?:(?P<own>{own})|(?P<other>{OTHER_NAMES}))\b", after, re.IGNORECASE):
        return NumberRole.OWN if follows["own"] else NumberRole.OTHER
    if re.search(_TRAINING, re.sub(rf"(?<=[\d%k]){_ON_TRAINING}", "", before, flags=re.IGNORECASE), re.IGNORECASE):
        return NumberRole.OTHER
    words = rf"\b(?:(?P<own>{own})|(?P<other>{OTHER_NAMES})|(?P<generic>{_GENERIC}))(?!\w)"
    names = [*re.finditer(words, before, re.IGNORECASE)]
    if named := [each for each in names if not each["generic"]]:
        return NumberRole.OWN if named[-1]["own"] else NumberRole.OTHER
    return NumberRole.GENERIC if names else NumberRole.NOTHING
