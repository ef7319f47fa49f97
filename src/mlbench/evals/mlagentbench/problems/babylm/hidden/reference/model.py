"""A model of words, told letter by letter: which word comes next, and which of the story's own words come again."""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

with open("characters.json") as file:
    CHARACTERS = json.load(file)
PLACE = {character: number for number, character in enumerate(CHARACTERS)}
STRENGTHS, LETTERS = (1.0, 4.0, 4.0), 6
OWN, KINDS, MOST_STORIES = (12.0, 1.5), 200.0, 1500


def words_of(text: str) -> list[str]:
    """The words with what stands right after them: a blank, or the end of the line."""
    found = text.split(" ")
    return [f"{word} " for word in found[:-1]] + [found[-1]]


class WordModel:
    """How often words follow up to two others, and how much likelier a word is if its story has it already."""

    def __init__(self, stories: Sequence[str]) -> None:
        self.follows: list[dict[tuple[str, ...], Counter[str]]] = [defaultdict(Counter) for _ in range(3)]
        self.letters: dict[str, Counter[str]] = defaultdict(Counter)
        again, fresh, again_of, fresh_of = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
        total = 0
        for story in stories:
            said = ["", "", *words_of(story)]
            for i in range(2, len(said)):
                for length in range(3):
                    self.follows[length][tuple(said[i - length : i])][said[i]] += 1
                for end in range(len(said[i])):
                    for length in range(min(LETTERS, end) + 1):
                        self.letters[said[i][end - length : end]][said[i][end]] += 1
        self.words = sorted(self.follows[0][()])
        self.cores = np.array([core(word) for word in self.words])
        for story in stories:
            seen: set[str] = set()
            for word in words_of(story):
                total += 1
                again_of.update(seen)
                (again if core(word) in seen else fresh)[core(word)] += 1
                seen.add(core(word))
        for each in set(self.cores):
            fresh_of[each] = total - again_of[each]
        ratio = {
            each: ((again[each] + 1) / (again_of[each] + 20), (fresh[each] + 1) / (fresh_of[each] + 20))
            for each in set(self.cores)
        }
        often = {each: (again[each] + fresh[each] + 2) / (total + 40) for each in ratio}
        self.if_again, self.if_fresh = (
            np.array([ratio[each][which] / often[each] for each in self.cores]) for which in (0, 1)
        )
        self.number = {word: number for number, word in enumerate(self.words)}
        self.starts: dict[str, np.ndarray] = {}
        self.kinds_of(stories)

    def kinds_of(self, stories: Sequence[str]) -> None:
        """Part the stories into two kinds (told in the past, or not) by the words that occur in them together."""
        stories = stories[:MOST_STORIES]  # one row each: more need too much memory
        many = np.zeros((len(stories), len(self.words)))
        for row, story in zip(many, stories, strict=True):
            for word in words_of(story):
                row[self.number[word]] += 1
        often = many.sum(0) + 1
        shares = np.random.default_rng(0).dirichlet([1, 1], len(stories))
        for _ in range(40):
            told = shares.T @ many + 2 * often / often.sum() * KINDS
            self.tilt = np.log(told / told.sum(1, keepdims=True)) - np.log(often / often.sum())
            sure = many @ self.tilt.T
            shares = np.exp(sure - sure.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)

    def chances(self, before: Sequence[str], power: float) -> np.ndarray:
        """Of every word to come next."""
        said = ["", "", *before]
        found = np.full(len(self.words), 1 / len(self.words))
        for length, strength in enumerate(STRENGTHS):
            seen = self.follows[length].get(tuple(said[len(said) - length :]))
            if not seen:
                break
            many = np.zeros(len(self.words))
            many[[self.number[word] for word in seen]] = list(seen.values())
            mass = strength * len(seen) ** 0.5
            found = (many + mass * found) / (many.sum() + mass)
        known = np.isin(self.cores, [core(word) for word in before])
        sure = self.tilt[:, [self.number[word] for word in before if word in self.number]].sum(1)
        kind = np.exp(sure - sure.max())
        found = found * np.where(known, self.if_again, self.if_fresh) ** power * (kind / kind.sum() @ np.exp(self.tilt))
        found /= found.sum()
        for length, strength in enumerate(OWN, start=1):  # what followed the same words earlier in this story
            last = said[len(said) - length :]
            own = [said[i] for i in range(length + 2, len(said)) if said[i - length : i] == last]
            own = [self.number[word] for word in own if word in self.number]
            if own:
                mass = len(own) / (len(own) + strength)
                found = (1 - mass) * found + mass * np.bincount(own, minlength=len(found)) / len(own)
        return found

    def distribution(self, text: str, power: float) -> np.ndarray:
        """Of the next character: by the words that begin like the last one, and a little by letters."""
        *before, begun = text.split(" ")
        chances = self.chances([f"{word} " for word in before], power)
        found = np.zeros(len(CHARACTERS))
        if begun not in self.starts:
            self.starts[begun] = np.array([i for i, word in enumerate(self.words) if word.startswith(begun)], int)
        for number in self.starts[begun]:
            if len(self.words[number]) > len(begun):
                found[PLACE[self.words[number][len(begun)]]] += chances[number]
        spelt = np.full(len(CHARACTERS), 1 / len(CHARACTERS))
        for length in range(min(LETTERS, len(begun)) + 1):
            seen = self.letters.get(begun[len(begun) - length :])
            if not seen:
                break
            many = np.zeros(len(CHARACTERS))
            for character, times in seen.items():
                many[PLACE[character]] = times
            spelt = (many + 2 * spelt) / (many.sum() + 2)
        share = 0.02 if found.sum() > 0 else 1.0
        return share * spelt + (1 - share) * found / max(found.sum(), 1e-12)


def core(word: str) -> str:
    """A word without the marks around it, its plural's s and its case."""
    found = "".join(each for each in word if each.isalpha())
    return found[:-1] if len(found) > 3 and found.endswith("s") else found
