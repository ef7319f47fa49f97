"""Which value of the instruction belongs to which option: by the words of both, and by what documents say of values."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.scripted_agent.programs import Knob
from tests.scripted_agent.words import Token, beside, nearness, parts, rarities, runs, spoken, stems, tokens

_NEGATIONS = {"no", "not", "without", "don", "never", "off", "neither", "nor", "separate", "skip", "plain", "ordinary"}
_LEAST = 0.15
"""A number whose words stand farther from an option's than this is none of its."""
_WHOLE = re.compile(r"epoch|batch|step|num|size|dim|layer|head|iter|depth|length|len|seed|hop|width|point|k$|passes")


@dataclass(frozen=True)
class Choice:
    """A value that an option may take, and what documents say of it."""

    value: str
    words: tuple[str, ...]
    phrases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What came of earlier drafts.

    Attributes:
        refused: values that were refused, by the knob's name.
        missed: numbers of the instruction that somebody else misses: they have to go somewhere.
    """

    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    missed: frozenset[str] = frozenset()


_UNTOLD = Told()


def assigned(
    knobs: Sequence[Knob],
    instruction: str,
    documents: str,
    examples: Mapping[str, str],
    files: Sequence[str] = (),
    told_back: Told = _UNTOLD,
) -> dict[Knob, str]:
    """The value of each knob that the instruction says something of. A switch has the value `on` or `off`.

    Args:
        documents: the text in which options and values are described.
        examples: values that an example gives, by name: they tell a number from a name.
        files: the repository's, for values that are paths.
        told_back: what came of earlier drafts.
    """
    said = tokens(instruction)
    told = {knob: knob_words(knob, documents) for knob in knobs}
    rarity = rarities(told.values())
    found: dict[Knob, str] = {}
    for knob in knobs:
        if knob.switch:
            if (wanted := _switched(knob, told[knob], rarity, said)) is not None:
                found[knob] = "on" if wanted else "off"
        else:
            value = _chosen(knob, instruction, documents, examples.get(knob.name, ""), files)
            if value and value not in told_back.refused.get(knob.name, ()):
                found[knob] = value
    rest = [knob for knob in knobs if not knob.switch and knob not in found and _is_numeric(knob, examples)]
    return found | _numbers(rest, told, rarity, said, examples, found, told_back)


def knob_words(knob: Knob, documents: str) -> list[str]:
    """The stems of a knob's name, of the program's words for it, and of what the documents say beside its name."""
    return list(dict.fromkeys([*parts(knob.name), *stems(knob.words), *stems(" ".join(_described(knob, documents)))]))


def _described(knob: Knob, documents: str) -> list[str]:
    """Table rows, list items and sentences in which a knob's name stands as code."""
    found = []
    for name in [*knob.flags, knob.name]:
        code = rf"`{re.escape(name)}[`= ]"
        found += re.findall(rf"^\s*\|[^\n]*(?:{code}|\|\s*{re.escape(name)}\s*\|)[^\n]*$", documents, re.M)
        found += re.findall(rf"{code}?`?\s*(?:\n\s*)?:\s*([^.;`]*)", documents)
        found += re.findall(rf"[^.;:|`\n]*{code}[^.;,|`]*", documents)
    return [re.sub(r"`[^`]*`|\|", " ", text) for text in found]


def _switched(knob: Knob, told: Sequence[str], rarity: Mapping[str, float], said: Sequence[Token]) -> bool | None:
    own = set(parts(knob.name))
    places = [n for n, token in enumerate(said) if token.stem in own and len(token.stem) > 2]
    if not places:
        told_only = [word for word in told if rarity.get(word, 1) == 1 and len(word) > 3]
        places = [n for n, token in enumerate(said) if token.stem in told_only]
        if len({said[n].stem for n in places}) < 3:
            return None
    elif len(own & {said[n].stem for n in places}) < len([w for w in own if len(w) > 2]) / 2:
        return None
    refused = [any(t.text.lower() in _NEGATIONS for t in said[max(0, n - 4) : n]) for n in places]
    return not all(refused)


def _chosen(knob: Knob, instruction: str, documents: str, example: str, files: Sequence[str]) -> str:
    choices = _choices(knob, documents, example, files)
    if not choices:
        return ""
    plain = " " + re.sub(r"[^a-z0-9.%-]+", " ", _flat(instruction)) + " "
    named = [c for c in choices if _names(c.value, plain)]
    if named and not knob.many:
        return max(named, key=lambda c: len(_plain(c.value))).value
    if named:
        return ("," if "," in example else " ").join(c.value for c in sorted(named, key=lambda c: _where(c, plain)))
    rarity = rarities(choice.words for choice in choices)
    wanted = set(stems(instruction))
    scores = {c: sum(rarity[w] for w in set(c.words) & wanted if rarity[w] > 0.4) for c in choices}
    for choice in choices:
        scores[choice] += sum(
            1.0 for w in parts(posixpath.splitext(posixpath.basename(choice.value))[0]) if w in wanted
        )
        scores[choice] += 3.0 * any(_plain(phrase) in plain.replace(" ", "") for phrase in choice.phrases)
    best = max(scores, key=lambda c: scores[c])
    others = [score for choice, score in scores.items() if choice is not best]
    return best.value if scores[best] >= 1 and scores[best] > max(others, default=0) else ""


def _choices(knob: Knob, documents: str, example: str, files: Sequence[str]) -> list[Choice]:
    values = list(knob.choices)
    if not values and "." in posixpath.basename(example) and not re.fullmatch(r"[\d.e-]+", example):
        folder, ending = posixpath.split(example)[0], posixpath.splitext(example)[1]
        values = [file for file in files if posixpath.dirname(file) == folder and file.endswith(ending)]
    elif not values and example and not re.fullmatch(r"[\d.,e-]+|true|false", example, re.I):
        values = listed_with(example, documents)
    return [
        Choice(value, tuple(value_words(value, values, documents)), tuple(_phrases(value, documents)))
        for value in values
    ]


def _phrases(value: str, documents: str) -> list[str]:
    """The names in the cells beside a value, in a table: `Grid Load | gridload`. Lists in cells go by their order."""
    found = []
    for line in documents.split("\n"):
        if not line.startswith("|") or (f"`{posixpath.basename(value)}`" not in line and f"`{value}`" not in line):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        at = next(n for n, cell in enumerate(cells) if f"`{posixpath.basename(value)}`" in cell or f"`{value}`" in cell)
        values = re.findall(r"`([^`]*)`", cells[at])
        for cell in cells[:at] + cells[at + 1 : at + 2]:
            names = cell.split(", ")
            if len(names) == len(values) and len(_plain(cell)) > 3 and cell[:1].isupper():
                found.append(names[next(n for n, v in enumerate(values) if v in (value, posixpath.basename(value)))])
    return found


def listed_with(value: str, documents: str) -> list[str]:
    """The values that documents list beside one: in the same line or paragraph, or in the same column of a table."""
    if f"`{value}`" not in documents:
        return []
    found: dict[str, None] = {}
    for paragraph in documents.split("\n\n"):
        lines = paragraph.split("\n")
        if f"`{value}`" not in paragraph:
            continue
        starts = [m[1] for line in lines if (m := re.match(r"\s*(?:[*|-]|\d\.)\s*`([\w.-]+)`", line))]
        if value in starts:
            found |= dict.fromkeys(starts)
        for line in re.split(r"(?<=[.;:])\s|\|", " ".join(lines) if not lines[0].startswith("|") else paragraph):
            inside = re.findall(r"`\"?([\w.-]+)\"?`", line)
            if value in inside:
                found |= dict.fromkeys(inside)
    called = set(re.findall(r"(\w+)\(", documents))
    return [each for each in found if not each.startswith("-") and each not in called]


def value_words(value: str, values: Sequence[str], documents: str) -> list[str]:
    """The stems of what documents say of a value: its row of a table, its item of a list, the words behind it."""
    name = posixpath.basename(value)
    texts = [name]
    code = rf"`\"?{re.escape(name)}\"?`|`{re.escape(value)}`"
    for line in documents.split("\n"):
        if not re.search(code, line):
            continue
        others = [v for v in values if v != value and re.search(rf"`\"?{re.escape(posixpath.basename(v))}\"?`", line)]
        if line.lstrip().startswith(("|", "*", "-")) and not others:
            texts.append(re.sub(code, " ", line))
    for found in re.finditer(rf"(?:{code})\s*(\([^)]*\)|[^`,;.|()]*)", documents):
        texts.append(found[1])
    for found in re.finditer(rf"(?<![\w-]){re.escape(name)}: ([^,;)]*)", documents):
        texts.append(found[1])
    return stems(" ".join(texts)) + parts(posixpath.splitext(name)[0])


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _flat(posixpath.splitext(posixpath.basename(text))[0]))


def _flat(text: str) -> str:
    return text.lower().translate(str.maketrans("áàâäãéèêëíìîïóòôöõúùûüçñ", "aaaaaeeeeiiiiooooouuuucn"))


def _names(value: str, plain: str) -> bool:
    """Whether the words of a text, put together, hold a value: `Grid Load` is `gridload`."""
    words = re.sub(r"[-.](?=\s)", "", plain).split()
    wanted = _plain(value) if not re.fullmatch(r"[\d.-]+", value) else value
    joined = {"".join(words[n : n + count]).replace("-", "") for count in (1, 2, 3) for n in range(len(words))}
    return bool(wanted) and (wanted in joined or value.lower() in words)


def _where(choice: Choice, plain: str) -> int:
    return plain.find(choice.value.lower())


def _is_numeric(knob: Knob, examples: Mapping[str, str]) -> bool:
    if knob.choices:
        return False
    shown = examples.get(knob.name, "") or knob.default
    return not shown or shown == "None" or bool(re.fullmatch(r"-?[\d.,e\s-]+", shown.strip("\"'")))


def _numbers(
    knobs: Sequence[Knob],
    told: Mapping[Knob, Sequence[str]],
    rarity: Mapping[str, float],
    said: Sequence[Token],
    examples: Mapping[str, str],
    found: Mapping[Knob, str],
    told_back: Told,
) -> dict[Knob, str]:
    """Each number to the knob whose words stand nearest, the best pairs first; a list of numbers stays together."""
    taken = " ".join(found.values())
    lists = [run for run in runs(said) if len(run) > 1]
    pairs: list[tuple[float, tuple[Token, ...], Knob]] = []
    for knob in knobs:
        if knob.many or "," in examples.get(knob.name, ""):
            for run in lists:
                score = max(_score(token, knob, told[knob], rarity, said, examples) for token in (run[0], run[-1]))
                pairs.append((score * 1.5, tuple(run), knob))
        for token in said:
            if token.number and not (re.search(r"[.e]", token.number) and _wants_whole(knob, examples)):
                if _scaled(token, knob, said, examples) in told_back.refused.get(knob.name, ()):
                    continue
                missed = token.text.lower() in told_back.missed
                score = _score(token, knob, told[knob], rarity, said, {knob.name: ""} if missed else examples)
                pairs.append((score * (0.5 if _holds(taken, token.text) else 1), (token,), knob))
    chosen: dict[Knob, str] = {}
    used: set[float] = set()
    for score, listed, knob in sorted(pairs, key=lambda pair: -pair[0]):
        if score < _LEAST or knob in chosen or used & {token.place for token in listed}:
            continue
        glue = "," if "," in examples.get(knob.name, "") else " "
        chosen[knob] = glue.join(_scaled(token, knob, said, examples) for token in listed)
        used |= {token.place for token in listed}
    left = [t for t in said if t.number and t.place not in used and not _holds(taken, t.text)]
    open_knobs = [k for k in knobs if k not in chosen and k.required and examples.get(k.name, "")[:1].isdigit()]
    open_knobs = [k for k in open_knobs if k.name not in [each.name for each in chosen]]
    if left and len(left) == len(open_knobs):
        chosen |= {knob: token.number for knob, token in zip(open_knobs, left, strict=True)}
    return chosen


def _holds(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", text) is not None


def _score(
    token: Token,
    knob: Knob,
    told: Sequence[str],
    rarity: Mapping[str, float],
    said: Sequence[Token],
    examples: Mapping[str, str],
) -> float:
    own = parts(knob.name)
    if knob.name not in examples:
        told = ()  # nobody has shown that it is ever given: only its own name counts
    score = nearness(own, dict(rarity), said, token) + 0.5 * nearness(told, dict(rarity), said, token)
    near = beside(said, token)
    score += sum(1.0 for word in near if word in own) + sum(0.4 for word in near if word in told and word not in own)
    if len(knob.name) <= 2:  # `K is 5`
        score += any(0 < token.place - place <= 3 for place in spoken(knob.name, said))
    return score * (1.3 if examples.get(knob.name) else 1)


def _wants_whole(knob: Knob, examples: Mapping[str, str]) -> bool:
    shown = examples.get(knob.name, "") or knob.default
    if re.fullmatch(r"-?\d+", shown):
        return bool(_WHOLE.search(knob.name.lower()))
    return False


def _scaled(token: Token, knob: Knob, said: Sequence[Token], examples: Mapping[str, str]) -> str:
    """Percents as a fraction, where the program wants a fraction."""
    behind = next((t.stem for t in said if t.place > token.place), "")
    shown = examples.get(knob.name, "") or knob.default
    if behind.startswith("percent") and re.fullmatch(r"0?\.\d+", shown):
        return f"{float(token.number) / 100:g}"
    return token.number
