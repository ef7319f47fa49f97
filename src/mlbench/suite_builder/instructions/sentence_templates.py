"""Makes whole instructions from phrases, by the grammar's sentence frames."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mlbench.suite_builder.instructions.grammar import capital, grammar, joined
from mlbench.suite_builder.instructions.phrases import Phrase

_SLOT = re.compile(r"\{(\w+)\}")
_SAID = 7
"""More settings are listed."""
_ROOM = {"prep": 2, "with": 3}
"""At most this many arguments in these places of a sentence; the others get their own sentences."""


@dataclass(frozen=True)
class Scene:
    """What an instruction says besides its arguments.

    Attributes:
        where: ways to name the task's place in the documentation; empty if it need not be named.
        more: whether the reference sets more than is said.
    """

    do: str
    doing: str
    project: str
    code: str
    where: tuple[str, ...]
    more: bool


@dataclass
class _Dealt:
    """Which argument is said in which place."""

    prep: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)
    noun: list[str] = field(default_factory=list)
    say: list[str] = field(default_factory=list)
    clauses: list[str] = field(default_factory=list)
    """Switches that a sentence of their own says."""
    listed: list[str] = field(default_factory=list)


def written(phrases: Sequence[Phrase], scene: Scene, rng: random.Random) -> Iterator[str]:
    """One template for each frame that fits these arguments, in random order.

    Args:
        phrases: the arguments' phrases.
        scene: what else is said.
        rng: the random source.
    """
    known = grammar().frames if len(phrases) <= _SAID else grammar().long_frames
    named = bool(scene.project) and not re.search(rf"(?<!\w){re.escape(scene.project)}(?!\w)", scene.do)
    frames = [frame for frame in known if named or not any("{project}" in each for each in frame)]
    for frame in rng.sample(frames, len(frames)):
        slots = set(_SLOT.findall(" ".join(frame)))
        if "list" in slots and not any(": " in way for each in phrases for way in each.label):
            continue  # `These are our settings: without mixed precision.`
        shuffled = [_placed(each, scene) for each in rng.sample(list(phrases), len(phrases))]
        is_apart = "prep" not in slots or any("{prep}" in each and "{with}" in each for each in frame)
        dealt = _dealt(shuffled, slots, rng, is_apart=is_apart)  # not `with the "x" option with a batch size of 3`
        needed = any("{with}" in each and re.search(r"\{[Dd]o", each) for each in frame)
        if needed and not dealt.noun:
            continue
        yield _filled(frame, dealt, scene, rng)


def _placed(phrase: Phrase, scene: Scene) -> Phrase:
    """The phrase without prepositions that the task already has: no `on ImageNet on the CIFAR dataset`."""
    preposition = {word for word in ("on", "for", "in") if f" {word} " in f" {scene.do} "}
    return replace(phrase, prep=tuple(each for each in phrase.prep if each.partition(" ")[0] not in preposition))


def _dealt(phrases: Sequence[Phrase], slots: set[str], rng: random.Random, *, is_apart: bool) -> _Dealt:
    """Distribute the arguments over a frame's places, with as many wordings as possible.

    Args:
        phrases: the arguments.
        slots: of the frame.
        rng: the random source.
        is_apart: whether switches get a sentence of their own.
    """
    dealt = _Dealt()
    used: set[str] = set()

    def choice(name: str, ways: Sequence[str]) -> str:
        shapes = {way: re.sub(rf"\{{\{{ {name} \}}\}}", "", way)[:12] for way in ways}
        fresh = [way for way in ways if shapes[way] not in used] or list(ways)
        taken = rng.choice(fresh)
        used.add(shapes[taken])
        return taken

    if slots & {"list", "List"}:
        for each in phrases:
            dealt.listed.append(rng.choice(each.label))
        dealt.listed.sort(key=lambda way: way.startswith("{{"))  # the start of a sentence gets a capital
        return dealt
    for each in phrases:
        if each.last:
            (dealt.clauses if is_apart else dealt.last).append(rng.choice(each.last))
            continue  # all switches together, in one place
        fits = []
        if "prep" in slots and each.prep and len(dealt.prep) < _ROOM["prep"]:
            fits.append("prep")
        if "with" in slots and each.noun and len(dealt.noun) < _ROOM["with"]:
            fits.append("with")
        if "say" in slots and rng.random() < 0.35:
            fits = []
        match fits[:1]:
            case ["prep"]:
                dealt.prep.append(rng.choice(each.prep))
            case ["with"]:
                dealt.noun.append(rng.choice(each.noun))
            case _:
                dealt.say.append(choice(each.name, each.sentence))
    dealt.prep.sort(key=lambda way: not way.startswith("on "))
    if dealt.clauses:
        dealt.say.append(rng.choice(grammar().kinds["clause"].sentence).replace("{v}", joined(dealt.clauses)))
    return dealt


def _filled(frame: Sequence[str], dealt: _Dealt, scene: Scene, rng: random.Random) -> str:
    listed = ("; " if any(": " in each for each in dealt.listed) else ", ").join(dealt.listed)
    pointers = grammar().rest if scene.more else grammar().about
    words = {
        "do": scene.do,
        "Do": capital(scene.do),
        "doing": scene.doing,
        "Doing": capital(scene.doing),
        "project": scene.project,
        "code": scene.code,
        "prep": " ".join(dealt.prep) + (f", {joined(dealt.last)}" if dealt.last else ""),
        "with": joined(dealt.noun) if dealt.noun else "",
        "say": " ".join(dealt.say),
        "list": listed,
        "List": capital(listed),
        "rest": rng.choice(pointers).replace("{where}", rng.choice(scene.where)) if scene.where else "",
    }
    sentences = [
        _SLOT.sub(lambda found: words[found[1]], each)
        for each in frame
        if any(words[slot] for slot in _SLOT.findall(each)) or not _SLOT.search(each)
    ]
    extra = [*([] if "{say}" in frame else dealt.say)]
    at = len(sentences) - sentences[-1].endswith("?") * (len(sentences) > 1)
    sentences[at:at] = extra
    text = " ".join(" ".join(sentences).split())
    return re.sub(r" +(?=[,.;:?!](?:\s|$))", "", text)
