"""Words, their stems, and how near they stand to a number: what the engineer understands of English."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

NUMBER = r"(?<![\w.-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w]|\.\d)"
_TOKEN = re.compile(rf"\d+(?:,\d+)+|{NUMBER}|[A-Za-zÀ-ÿ]\w*|[,;:.()?%=]")
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMERALS = {
    **dict(zip(_COUNTED, range(13), strict=True)),
    **{"twice": 2, "twofold": 2, "threefold": 3, "fourfold": 4, "fivefold": 5, "sixfold": 6},
    **{"sevenfold": 7, "eightfold": 8},
}
_STOPPED = """
a an the of in on at to for and or with by as is are be it its that this from into if not no each every all one
i you we my your our me please want would like should need can will do does use uses used using let make
than then them they there so but which what when how only other others same here more
"""
_STOP = frozenset(_STOPPED.split())
_SHORT = {
    "lr": "learning rate",
    "wd": "weight decay",
    "bs": "batch size",
    "dim": "dimension",
    "dims": "dimension",
    "emb": "embedding",
    "iter": "iteration",
    "iters": "iteration",
    "len": "length",
    "prob": "probability",
    "dir": "folder",
    "adj": "adjacency matrix",
    "attn": "attention",
    "cfg": "configuration",
    "itr": "repetition",
    "ckpt": "checkpoint",
    "temp": "temperature",
    "pred": "prediction horizon",
    "seq": "sequence",
    "epochs": "epoch passes times",
    "n": "",
    "num": "",
    "k": "k",
    "img": "image picture",
    "vocab": "vocabulary",
    "sched": "schedule",
    "hid": "hidden",
    "l2": "weight decay",
    "reg": "regularisation",
    "freq": "frequency",
}
_LIKE = {
    "picture": "image",
    "neighbor": "neighbour",
    "pass": "epoch",
    "time": "epoch",
    "round": "iteration",
    "step": "step",
    "dimensional": "dimension",
    "thread": "worker",
    "mean": "averag",
    "rate": "rate",
    "maximum": "maximum",
    "max": "maximum",
    "min": "minimum",
    "avg": "averag",
    "std": "standard",
}


def stem(word: str) -> str:
    """A word without its ending; a few pairs of words count as the same."""
    word = word.lower()
    for ending in ("isation", "ization", "ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    whole = _LIKE.get(word) or _LIKE.get(word + "e")
    return whole[:7] if whole else word[:7]


def parts(name: str) -> list[str]:
    """The stems in a name: `--num_trainEpochs` is train and epoch, `lr` is learning and rate."""
    raw = [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[a-z]?\d+", name)]
    return [stem(word) for part in raw for word in _SHORT.get(part, part).split()]


def stems(text: str) -> list[str]:
    """The stems of all words that mean something."""
    return [stem(word) for word in re.findall(r"[A-Za-zÀ-ÿ]\w+|\bk\b|\bK\b", text) if word.lower() not in _STOP]


@dataclass(frozen=True)
class Token:
    """A word, number or sign; `place` counts from the start, with a pause behind a sign."""

    text: str
    stem: str
    place: float
    number: str = ""


def tokens(text: str) -> list[Token]:
    """The tokens of a text. Numerals are numbers; `one` only before what it counts, for it is often a pronoun."""
    found: list[Token] = []
    place = 0.0
    raws = _TOKEN.findall(text)
    for raw, behind in zip(raws, [*raws[1:], "."], strict=True):
        word = raw.lower()
        if re.fullmatch(r"-?\d\S*", raw):
            found.append(Token(raw, raw, place, raw))
        elif re.match(r"\w", raw):
            counts = word != "one" or (behind.isalpha() and behind.lower() not in _STOP)
            numeral = _NUMERALS.get(word) if counts else None
            found.append(Token(raw, stem(raw), place, "" if numeral is None else str(numeral)))
        place += {",": 1.5, "=": 0.2, "%": 0.2, "(": 1, ")": 1}.get(raw, 3 if re.match(r"\W", raw) else 1)
    return found


def numeral(text: str) -> str:
    """The number that a word or digits stand for; empty if none."""
    return text if text.isdigit() else str(_NUMERALS.get(text.lower(), ""))


def spoken(name: str, said: Sequence[Token]) -> list[float]:
    """The places where a name of one or two characters is said: as it is, or in words (`b1` is `beta one`)."""
    places = [token.place for token in said if token.text == name]
    if re.fullmatch(r"[A-Za-z]\d", name):
        for word, behind in pairwise(said):
            if word.text[0].lower() == name[0].lower() and numeral(behind.text) == name[1]:
                places.append(behind.place)
    return places


def rarities(texts: Iterable[Iterable[str]]) -> dict[str, float]:
    """How much a stem tells of a text among the texts: 1 where only one has it."""
    counts = Counter(word for text in texts for word in set(text))
    return {word: 1 / count for word, count in counts.items()}


def nearness(wanted: Iterable[str], rarity: dict[str, float], around: Sequence[Token], place: Token) -> float:
    """How near the words stand to a token; what stands right behind a number (`5 epochs`) counts most."""
    score = 0.0
    for word in set(wanted):
        away = [abs(t.place - place.place) * (1 if t.place < place.place else 0.9) for t in around if t.stem == word]
        if away and 0 < min(away) <= 7:
            score += rarity.get(word, 1.0) / (0.5 + min(away))
    return score


def beside(said: Sequence[Token], token: Token) -> list[str]:
    """The stems of what a number counts (`2 hidden attention heads`: head), or of what is set to it (`a rate of 2`)."""
    at = next(n for n, each in enumerate(said) if each is token)
    behind: list[Token] = []
    for each in said[at + 1 : at + 5]:
        last = behind[-1] if behind else token
        if each.number or each.text.lower() in _STOP or each.place - last.place > 1.1:
            break
        behind.append(each)
    before: list[Token] = []
    last = token
    for each in reversed(said[max(0, at - 5) : at]):
        if each.number or (before and each.text.lower() in _STOP) or last.place - each.place > 1.3:
            break
        last = each
        if each.text.lower() not in _STOP:
            before.append(each)
    if behind and said[at - 1].text.lower() not in ("of", "is", "to", "at"):
        before = []  # in `5 epochs with 8 heads` the 8 counts heads
    return [each.stem for each in behind[-1:]] + [each.stem for each in before[:2]]


def runs(said: Sequence[Token]) -> list[list[Token]]:
    """Numbers that are listed: with nothing but commas, `and` and `then` between them."""
    found: list[list[Token]] = []
    open_run = False
    for token in said:
        if token.number:
            if open_run:
                found[-1].append(token)
            else:
                found.append([token])
            open_run = True
        elif token.text.lower() not in ("and", "then"):
            open_run = False
    return found
