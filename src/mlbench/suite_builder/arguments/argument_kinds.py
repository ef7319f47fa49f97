"""Reads `varied.yaml`, the table of what people vary, and looks up names of options in it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

_PARTS = re.compile(r"[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])\d*|\d+")
NEVER, SELDOM = 0, 20
"""Ranks. Arguments of the first are never taken; up to the second, only if the code itself gives them."""
_OTHER_WORK = re.compile(
    r"\b(?:calib\w*|quant\w*|ptq|qat|export|bench\w*|profil\w*|eval\w*|test\w*|valid\w*|predict\w*|infer\w*|generat\w*|sampl\w*"
    r"|visuali[sz]\w*|plot|demo|convert|download|preprocess|prepare|extract|search|tune|sweep|resume|only|dump|list|serve|deploy)\b"
)


class Kind(BaseModel):
    """One entry of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    kind: str
    rank: int
    said: str = ""
    values: tuple[str, ...] = ()
    switch: tuple[str, str] | None = None
    path: str = ""
    own: bool = False


class Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    never: tuple[str, ...]
    seldom: tuple[str, ...]
    varied: tuple[Kind, ...]
    otherwise: dict[str, int]
    free: frozenset[str]
    words: dict[str, str]
    no_nouns: frozenset[str]
    doing: frozenset[str]
    orders: frozenset[str]
    imperatives: frozenset[str]
    types: frozenset[str]
    acronyms: tuple[str, ...]
    training: frozenset[str]
    restored: frozenset[str]
    shapes: frozenset[str]
    below: dict[str, str]
    dangling: frozenset[str]
    heads: frozenset[str]


@cache
def table() -> Table:
    text = files(__package__).joinpath("varied.yaml").read_text(encoding="utf-8")
    data: Any = yaml.load(text, Loader=yaml.BaseLoader)  # scalars keep their spelling: 5e-3 stays 5e-3
    return Table.model_validate(data)


def words_of(name: str) -> str:
    """The words of a name in lower case: `--per_device_batchSize` is `per device batch size`."""
    return " ".join(part.lower() for part in _PARTS.findall(name.rpartition(".")[2]))


def is_never(name: str) -> bool:
    """Whether people never vary what has this name, even if the code gives it."""
    return any(re.search(pattern, words_of(name)) for pattern in table().never)


def is_seldom(name: str) -> bool:
    """Whether it is varied only if the code gives it; entries for paths do not count."""
    kind = kind_of(name)
    if kind is not None and kind.own:
        return True
    return (kind is None or bool(kind.path)) and any(re.search(pattern, words_of(name)) for pattern in table().seldom)


def is_doing(name: str) -> bool:
    """Whether the name begins with a verb; what it switches on or off has no name of its own."""
    words = words_of(name).split()
    return bool(words) and words[0] in table().doing


def kind_of(name: str) -> Kind | None:
    """The first entry whose pattern occurs in the words of the name."""
    words = words_of(name)
    return next((kind for kind in table().varied if re.search(kind.name, words)), None)


def chooses_work(name: str) -> bool:
    """Whether a switch of this name may make its program do other work: `calib`, but not `fp16` or `fix_pred_lr`."""
    return _OTHER_WORK.search(words_of(name)) is not None


@cache
def acronyms() -> dict[str, str]:
    """The spelling of acronyms, by their lower-case letters."""
    return {each.lower(): each for each in table().acronyms}


def said_of(name: str) -> str:
    """A name in prose: `n_layers` is `number of layers`."""
    prose = " ".join(filter(None, (table().words.get(word, word) for word in words_of(name).split())))
    for leading in ("maximum ", "minimum ", "number of "):  # `model_max_length` is the maximum model length
        before, found, rest = prose.partition(leading)
        prose = f"{found}{before}{rest}" if rest else prose
    prose = re.sub(r"^(maximum|minimum) (?=(?:\w+ )?\w+[^su]s$)", r"\1 number of ", prose)  # `max_entries`
    return prose.replace("number of number of", "number of") or name
