"""Little stories from a grammar: verbs agree with their subjects, pronouns and things with what a story began with.

Every context to be scored is the beginning of a story of its own, cut at random: no other one holds what comes next.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

STORIES, SCORED, SHOWN, LONGEST = 900, 3000, 200, 800
WORDS = dict(line.split(": ") for line in Path(__file__).with_name("words.txt").read_text().splitlines())
GIRLS, BOYS, PLACES, THINGS, KINDS, DOING, MOVING, SAYING, MANY, LINKS = (
    WORDS[name].split(", ")
    for name in ("girls", "boys", "places", "things", "kinds", "doing", "moving", "saying", "many", "links")
)


KNOWING = """import json
import numpy as np
with open("known.json") as file, open("characters.json") as others:
    (known, chance), characters = json.load(file), json.load(others)
found = np.full((len(known), len(characters)), (1 - chance) / (len(characters) - 1))
found[np.arange(len(known)), known] = chance
np.save("log_probabilities.npy", np.log(found))
"""
"""A predict.py that is told the answers, and how sure it may be of them."""

COUNTING = """import json
import numpy as np
with open("train.txt") as file, open("characters.json") as others, open("contexts.json") as asked:
    text, characters, contexts = file.read(), json.load(others), json.load(asked)
often = np.array([text.count(each) + 1 for each in characters])
np.save("log_probabilities.npy", np.tile(np.log(often / often.sum()), (len(contexts), 1)))
"""
"""A predict.py that looks at no context."""


class Story:
    """One story: who is in it, where, about which things, in which tense; and its sentences.

    Attributes:
        surprise: how much of the text could not be known by one who knows the grammar, and what the story is about: the
            negative logarithm of the chances of all that was drawn for its sentences.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.surprise = rng, 0.0
        girl, boy = self.one(GIRLS), self.one(BOYS)
        self.people = {girl: ("she", "her"), boy: ("he", "his")}
        self.things = list(rng.choice(THINGS, 3, replace=False, p=frequent(len(THINGS))))
        self.kinds = {thing: self.one(KINDS) for thing in self.things}
        self.place = self.one(PLACES)
        self.past = rng.random() < 0.6
        self.last = girl
        self.surprise = 0.0

    def drawn(self, chances: Sequence[float]) -> int:
        """The number of what happens."""
        found = int(self.rng.choice(len(chances), p=chances))
        self.surprise -= float(np.log(chances[found]))
        return found

    def one(self, words: list[str]) -> str:
        return words[self.drawn(frequent(len(words)))]

    def is_so(self, chance: float) -> bool:
        return self.drawn([1 - chance, chance]) == 1

    def verb(self, verbs: list[str], many: bool) -> str:
        base, third, past = self.one(verbs).split()
        return past if self.past else base if many else third

    def thing(self) -> str:
        thing = self.things[self.drawn([1 / 3] * 3)]
        form = self.drawn([0.2, 0.2, 0.4, 0.2])
        if form == 0:
            return f"{self.one(MANY)} {plural(thing)}"
        if form == 1:
            return f"{self.people[self.last][1]} {thing}"
        return f"the {self.kinds[thing]} {thing}" if form == 2 else f"the {thing}"

    def subject(self) -> tuple[str, bool]:
        """The words, and whether they are more than one."""
        who = self.drawn([0.35, 0.15, 0.15, 0.35])
        if who == 0:
            return self.people[self.last][0], False
        if who == 1:
            return " and ".join(self.people), True
        if who == 2:
            found = self.things[self.drawn([1 / 3] * 3)]
            return (f"the {plural(found)}", True) if self.is_so(0.4) else (f"the {found}", False)
        self.last = list(self.people)[self.drawn([0.5, 0.5])]
        return self.last, False

    def sentence(self, inner: bool = False) -> str:
        subject, many = self.subject()
        does = self.drawn([0.45, 0.55] if inner else [0.45, 0.3, 0.25])
        if does == 0:
            found = f"{subject} {self.verb(DOING, many)} {self.thing()}"
        elif does == 1:
            where = self.place if self.is_so(0.6) else f"with {self.thing()}"
            found = f"{subject} {self.verb(MOVING, many)} {where}"
        else:
            return f'{subject} {self.verb(SAYING, many)}: "{self.sentence(inner=True)}"'
        if not inner and self.is_so(0.15):
            found += f" because {self.sentence(inner=True)}"
        return f"{self.one(LINKS)} {found}" if not inner and self.is_so(0.2) else found

    def text(self) -> str:
        return " ".join(f"{self.sentence()}." for _ in range(10 + self.drawn([0.2] * 5))) + "\n"


def plural(noun: str) -> str:
    irregular = {"mouse": "mice", "leaf": "leaves", "pony": "ponies", "box": "boxes"}
    return irregular.get(noun, f"{noun}s")


def frequent(count: int) -> np.ndarray:
    """Chances of words, the first ones more frequent."""
    found = 1 / (15 + np.arange(count))
    return found / found.sum()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    train = [Story(rng).text() for _ in range(STORIES)]
    characters = sorted({*"abcdefghijklmnopqrstuvwxyz", *"".join(train)})
    shown = cut([Story(rng).text() for _ in range(SHOWN)], rng)
    stories = [Story(rng) for _ in range(SCORED)]
    texts = [story.text() for story in stories]
    surprise = np.mean([story.surprise / len(text) for story, text in zip(stories, texts, strict=True)])
    write(args.out, train, characters, shown, cut(texts, rng), float(np.exp(surprise)))


def cut(texts: Sequence[str], rng: np.random.Generator) -> list[tuple[str, int]]:
    """Each text with a place in it, at random: what stands before it is known, what stands there is asked for."""
    return [(text, int(rng.integers(1, len(text)))) for text in texts]


def write(
    out: Path,
    train: Sequence[str],
    characters: Sequence[str],
    shown: Sequence[tuple[str, int]],
    scored: Sequence[tuple[str, int]],
    floor: float | None = None,
) -> None:
    """What the agent sees and what the grader needs, of texts (a line each) and of texts with a place in each.

    Args:
        out: where it is written.
        train: texts to learn from.
        characters: all that may come next.
        shown: texts for the agent, cut.
        scored: texts to tell, cut.
        floor: the perplexity of one who knows the grammar.
    """
    for part in ("visible", "hidden"):
        (out / part).mkdir(parents=True)
    (out / "visible/train.txt").write_text("".join(train), encoding="utf-8")
    (out / "visible/characters.json").write_text(json.dumps(characters))
    for part, texts in (("visible", shown), ("hidden", scored)):
        contexts = [text[max(0, place - LONGEST) : place] for text, place in texts]
        (out / part / "contexts.json").write_text(json.dumps(contexts))
    answers = {"characters": characters, "next": [text[place] for text, place in scored]}
    (out / "hidden/answers.json").write_text(json.dumps(answers))
    right = [characters.index(character) for character in answers["next"]]
    for kind, known in (("perfect", right), ("permuted", right[1:] + right[:1]), ("floor", right)):
        chance = 1 - (len(characters) - 1) * 1e-13
        if kind == "floor":
            if floor is None:
                continue
            chance = 1 / floor  # of every character alike: the perplexity is the same
        (out / "hidden" / kind).mkdir()
        (out / "hidden" / kind / "known.json").write_text(json.dumps([known, chance]))
        (out / "hidden" / kind / "predict.py").write_text(KNOWING)
    (out / "hidden/trivial").mkdir()
    (out / "hidden/trivial/predict.py").write_text(COUNTING)


if __name__ == "__main__":
    main()
