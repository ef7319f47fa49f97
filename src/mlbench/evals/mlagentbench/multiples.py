"""Find how much better a text says that the score became: `halved`, `20x faster`, `by two thirds`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlbench.evals.mlagentbench.number_extraction import NOT_YET, OTHER_NAMES, metric_names
from mlbench.evals.mlagentbench.problem import ProblemMetric

_PARTS = {"half": 1 / 2, "a half": 1 / 2, "one half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3}
_PARTS |= {"2 thirds": 2 / 3, "a quarter": 1 / 4, "one quarter": 1 / 4, "three quarters": 3 / 4, "3 quarters": 3 / 4}
_PARTS |= {"a fourth": 1 / 4, "a fifth": 1 / 5, "one fifth": 1 / 5, "a tenth": 1 / 10, "one tenth": 1 / 10}
_PART = "|".join(sorted(map(re.escape, _PARTS), key=len, reverse=True))
_TIMES = {
    "halved": 2.0,
    "halves": 2.0,
    "doubled": 2.0,
    "doubles": 2.0,
    "tripled": 3.0,
    "trebled": 3.0,
    "quadrupled": 4.0,
}
_FOLDS = {"two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "eight": 8.0, "ten": 10.0, "twenty": 20.0}
_FOLDS |= {"thirty": 30.0, "fifty": 50.0, "hundred": 100.0}
_NUMBER = r"(?P<n>\d+(?:\.\d+)?)"
_FACTOR = re.compile(
    rf"\b{_NUMBER}\s*-?\s*(?:x|×|times|fold)(?!\w)\s*|\bfactor (?:of )?{_NUMBER.replace('?P<n>', '?P<m>')}"
    rf"|\b(?P<fold>{'|'.join(_FOLDS)})-?fold\b|\b(?P<twice>twice)\b|\b(?P<verb>{'|'.join(_TIMES)})\b"
    r"|\b(?P<cut>cut|split|slashed) (?:[\w ]+ )?in (?:half|two)\b",
    re.IGNORECASE,
)
_BY = re.compile(rf"\bby (?:about |roughly |almost |nearly |over |more than )?(?P<part>{_PART})\b", re.IGNORECASE)
_TO = re.compile(
    rf"\b(?:to|only|is|now) (?:about |roughly |almost |nearly |under |less than )?(?P<part>{_PART})\b"
    r"(?= (?:of|that|what|the))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[!?\n])|(?<=\.)(?=\s)|[;,:]|\b(?:and|but|while|whereas|although|because|by using|with)\b")
_GENERIC = r"scores?|results?|metric|performance|error"
_SPEED = r"fast(?:er)?|speed\w*|quick\w*|slow\w*|time|runtime|runs?"
_COMPARED = (
    r"speed-?\s?up|faster|fast|quicker|better|smaller|lower|higher|less|greater|improvement|reduction|increase|decrease"
)
_MANY = r"as (?:many|long|large|big|deep|wide|often)|number of|more (?:data|rows|features|trees|epochs)|larger|bigger"


def multiples(text: str, metric: ProblemMetric) -> Iterator[tuple[str, float]]:
    """Return the clauses that say by how much the score became better, and that as a relative improvement.

    An error that is halved is 0.5 better, an accuracy that is doubled 1.0.
    """
    seconds = metric.unit == "seconds"
    own = metric_names(metric) + (f"|{_SPEED}|{_GENERIC}" if seconds else f"|{_GENERIC}")
    sentences = re.split(r"(?<=[!?\n])|(?<=[.])(?=\s)", text)
    for sentence in sentences:
        for clause in _CLAUSE.split(sentence):
            plain = " ".join(clause.split())[:300]
            if not plain or _has(NOT_YET, plain) or _has(_MANY, plain):
                continue
            named = _has(own, plain)
            others = re.sub(rf"\b(?:{own})\b", " ", plain, flags=re.IGNORECASE)
            if not (named or (seconds and re.search(r"(?:speed-?\s?up|fold)", plain))) or _has(OTHER_NAMES, others):
                continue
            if not seconds and _has(_SPEED, plain):
                continue
            for ratio in _ratios(plain):
                worse = _has("worse|slower", plain)
                if not worse:
                    yield plain, 1 - 1 / ratio if metric.better == "lower" else ratio - 1
            for found in _BY.finditer(plain):
                yield plain, _PARTS[found["part"].lower()]
            for found in _TO.finditer(plain):
                if metric.better == "lower":
                    yield plain, 1 - _PARTS[found["part"].lower()]


def _ratios(plain: str) -> Iterator[float]:
    """The factors above 1 that a clause names."""
    for found in _FACTOR.finditer(plain):
        compared = re.search(rf"\b(?:{_COMPARED})\b", plain, re.IGNORECASE)
        if (found["n"] or found["fold"]) and not compared:  # `5-fold cross-validation`, `I ran it 5 times`
            continue
        if found["n"] or found["m"]:
            ratio = float(found["n"] or found["m"])
        elif found["fold"]:
            ratio = _FOLDS[found["fold"].lower()]
        elif found["verb"]:
            ratio = _TIMES[found["verb"].lower()]
        else:
            ratio = 2.0
        if ratio > 1:
            yield ratio


def points(text: str, metric: ProblemMetric) -> Iterator[tuple[str, float]]:
    """Return the sentences in which a share rose by percentage points, and by how much (0.45 for 45 points)."""
    for sentence in re.split(r"(?<=[!?;\n])|(?<=[.])(?=\s)", text):
        plain = " ".join(sentence.split())[:300]
        found = re.search(
            r"\bby (?:about |over |some )?(\d+(?:\.\d+)?)\s*(?:percentage |accuracy )?(?:points?|pp)\b",
            plain,
            re.IGNORECASE,
        )
        if found and _has(metric_names(metric) + f"|{_GENERIC}", plain) and not _has(NOT_YET, plain):
            yield plain, float(found[1]) / 100


def _has(words: str, text: str) -> bool:
    return re.search(rf"\b(?:{words})\b", text, re.IGNORECASE) is not None
