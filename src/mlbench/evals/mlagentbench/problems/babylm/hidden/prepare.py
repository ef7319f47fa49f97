"""Little stories from a grammar: verbs agree with their subjects, pronouns and things with what a story began with.

Every context to be scored is the beginning of a story of its own, cut at random: no other one holds what comes next.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

STORIES, SCORED, SHOWN, LONGEST = 1500, 3000, 200, 160
WORDS = dict(line.split(": ") for line in Path(__file__).with_name("words.txt").read_text().splitlines())
GIRLS, BOYS, PLACES, THINGS, KINDS, DOING, MOVING, SAYING, MANY, LINKS = (
    WORDS[name].split(", ")
    for name in ("girls", "boys", "places", "things", "kinds", "doing", "moving", "saying", "many", "links")
)


KNOWING = """import json
import numpy as np
with open("known.json") as file, open("characters.json") as others:
    known, characters = json.load(file), json.load(others)
found = np.full((len(known), len(characters)), 1e-13)
found[np.arange(len(known)), known] = 1 - (len(characters) - 1) * 1e-13
np.save("log_probabilities.npy", np.log(found))
"""
"""A predict.py that is told the answers."""


class Story:
    """One story: who is in it, where, about which things, in which tense; and its sentences."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        girl, boy = self.one(GIRLS), self.one(BOYS)
        self.people = {girl: ("she", "her"), boy: ("he", "his")}
        self.things = list(rng.choice(THINGS, 3, replace=False, p=frequent(len(THINGS))))
        self.kinds = {thing: self.one(KINDS) for thing in self.things}
        self.place = self.one(PLACES)
        self.past = rng.random() < 0.6
        self.last = girl

    def one(self, words: list[str]) -> str:
        return str(self.rng.choice(words, p=frequent(len(words))))

    def verb(self, verbs: list[str], many: bool) -> str:
        base, third, past = self.one(verbs).split()
        return past if self.past else base if many else third

    def thing(self) -> str:
        thing = str(self.rng.choice(self.things))
        chance = self.rng.random()
        if chance < 0.2:
            return f"{self.one(MANY)} {plural(thing)}"
        if chance < 0.4:
            return f"{self.people[self.last][1]} {thing}"
        return f"the {self.kinds[thing]} {thing}" if chance < 0.8 else f"the {thing}"

    def subject(self) -> tuple[str, bool]:
        """The words, and whether they are more than one."""
        chance = self.rng.random()
        if chance < 0.35:
            return self.people[self.last][0], False
        if chance < 0.5:
            return " and ".join(self.people), True
        if chance < 0.65:
            found = self.rng.choice(self.things)
            return (f"the {plural(found)}", True) if self.rng.random() < 0.4 else (f"the {found}", False)
        self.last = str(self.rng.choice(list(self.people)))
        return self.last, False

    def sentence(self, inner: bool = False) -> str:
        subject, many = self.subject()
        chance = self.rng.random()
        if chance < 0.45:
            found = f"{subject} {self.verb(DOING, many)} {self.thing()}"
        elif chance < 0.75 or inner:
            where = self.place if self.rng.random() < 0.6 else f"with {self.thing()}"
            found = f"{subject} {self.verb(MOVING, many)} {where}"
        else:
            return f'{subject} {self.verb(SAYING, many)}: "{self.sentence(inner=True)}"'
        if self.rng.random() < 0.15 and not inner:
            found += f" because {self.sentence(inner=True)}"
        return f"{self.one(LINKS)} {found}" if self.rng.random() < 0.2 and not inner else found

    def text(self) -> str:
        return " ".join(f"{self.sentence()}." for _ in range(self.rng.integers(3, 8))) + "\n"


def plural(noun: str) -> str:
    irregular = {"mouse": "mice", "leaf": "leaves", "pony": "ponies", "box": "boxes"}
    return irregular.get(noun, f"{noun}s")


def frequent(count: int) -> np.ndarray:
    """Chances of words, the first ones more frequent."""
    found = 1 / (2 + np.arange(count))
    return found / found.sum()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    train = [Story(rng).text() for _ in range(STORIES)]
    characters = sorted({*"abcdefghijklmnopqrstuvwxyz", *"".join(train)})
    shown, scored = (cut([Story(rng).text() for _ in range(count)], rng) for count in (SHOWN, SCORED))
    write(args.out, train, characters, shown, scored)


def cut(texts: Sequence[str], rng: np.random.Generator) -> list[tuple[str, int]]:
    """Each text with a place in it, at random: what stands before it is known, what stands there is asked for."""
    return [(text, int(rng.integers(1, len(text)))) for text in texts]


def write(
    out: Path,
    train: Sequence[str],
    characters: Sequence[str],
    shown: Sequence[tuple[str, int]],
    scored: Sequence[tuple[str, int]],
) -> None:
    """What the agent sees and what the grader needs, of texts (a line each) and of texts with a place in each."""
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
    for kind, known in (("perfect", right), ("permuted", right[1:] + right[:1])):
        (out / "hidden" / kind).mkdir()
        (out / "hidden" / kind / "known.json").write_text(json.dumps(known))
        (out / "hidden" / kind / "predict.py").write_text(KNOWING)


if __name__ == "__main__":
    main()
