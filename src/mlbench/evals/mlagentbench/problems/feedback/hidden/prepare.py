"""Essays of learners, made up: how well the writer does in each of six respects shows in the words, and is scored.

Cohesion shows in linking words, syntax in the length and nesting of sentences, vocabulary in rare words, phraseology in
fixed phrases (right or wrong), grammar in agreement and articles, conventions in spelling, capitals and full stops.
"""

import argparse
import re
from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_tables import split

TRAINED, TESTED = 350, 400
SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
TOPICS = {
    "school": (["student", "teacher", "parent", "principal"], ["lesson", "book", "homework", "exam"]),
    "sport": (["player", "coach", "friend", "runner"], ["game", "team", "match", "race"]),
    "nature": (["farmer", "child", "walker", "scientist"], ["tree", "river", "garden", "animal"]),
    "phones": (["teenager", "worker", "parent", "friend"], ["phone", "message", "screen", "camera"]),
}
PLAIN = {
    "help": "assist",
    "like": "cherish",
    "use": "employ",
    "change": "transform",
    "need": "require",
    "see": "observe",
}
DESCRIBED = {"good": "beneficial", "big": "substantial", "bad": "detrimental", "new": "innovative", "hard": "demanding"}
LINKS = ["However, ", "Therefore, ", "For example, ", "In addition, ", "As a result, ", "First of all, "]
NESTED = [
    " because it makes life easier",
    " although some people disagree",
    ", which nobody expected",
    " when there is time",
]
PHRASES = [
    ("makes a mistake", "does a mistake"),
    ("pays attention to", "gives attention at"),
    ("takes part in", "makes part of"),
    ("is interested in", "is interested for"),
    ("depends on", "depends of"),
    ("has an influence on", "does an influence to"),
]


def clause(rng: np.random.Generator, skill: dict[str, float], topic: str) -> str:
    """A statement: whoever is skilled chooses the rarer word and the right phrase, and makes verb and noun agree."""
    people, things = TOPICS[topic]
    who, what = str(rng.choice(people)), str(rng.choice(things))
    verb, quality = str(rng.choice(list(PLAIN))), str(rng.choice(list(DESCRIBED)))
    if rng.random() < skill["vocabulary"]:
        verb = PLAIN[verb]
    if rng.random() < skill["vocabulary"]:
        quality = DESCRIBED[quality]
    agrees = rng.random() < 0.35 + 0.65 * skill["grammar"]
    article = "the " if rng.random() < 0.3 + 0.7 * skill["grammar"] else ""
    if rng.random() < 0.3:
        right, wrong = PHRASES[rng.integers(len(PHRASES))]
        said = right if rng.random() < skill["phraseology"] else wrong
        return f"the {who} {said} {article}{quality} {what}"
    ending = "es" if verb.endswith("sh") else "s"
    return f"the {who} {verb}{ending if agrees else ''} {article}{quality} {what}"


def sentence(rng: np.random.Generator, skill: dict[str, float], topic: str) -> str:
    found = clause(rng, skill, topic)
    while rng.random() < 0.15 + 0.45 * skill["syntax"]:
        if rng.random() < 0.5:
            found += str(rng.choice(NESTED))
        else:
            found += f" and {clause(rng, skill, topic)}"
    link = str(rng.choice(LINKS)) if rng.random() < 0.7 * skill["cohesion"] else ""
    found = link + found if link else found[0].upper() + found[1:]
    return found + ("." if rng.random() < 0.4 + 0.6 * skill["conventions"] else "")


def misspelt(rng: np.random.Generator, text: str, share: float) -> str:
    """The text with two letters exchanged in a share of its longer words, and some capitals lost."""

    def spoilt(match: re.Match[str]) -> str:
        word = match[0]
        if rng.random() > share:
            return word
        at = rng.integers(1, len(word) - 2)
        return (word[:at] + word[at + 1] + word[at] + word[at + 2 :]).lower()

    return re.sub(r"[A-Za-z]{5,}", spoilt, text)


def essay(rng: np.random.Generator) -> dict[str, object]:
    """A text and its six scores, from 1 to 5 in halves, as the raters give them."""
    shared = rng.normal(0, 0.6)
    ability = {name: shared + rng.normal(0, 0.8) for name in SCORES}
    skill = {name: 1 / (1 + np.exp(-1.8 * value)) for name, value in ability.items()}
    topic, drifts = str(rng.choice(list(TOPICS))), 0.4 * (1 - skill["cohesion"])
    count = int(np.clip(rng.normal(16 + 2.5 * shared, 4), 6, 32))
    topics = [topic if rng.random() > drifts else str(rng.choice(list(TOPICS))) for _ in range(count)]
    text = " ".join(sentence(rng, skill, each) for each in topics)
    text = misspelt(rng, text, 0.22 * (1 - skill["conventions"]))
    rated = {
        name: np.clip(np.round(2 * (3.1 + 0.75 * ability[name] + rng.normal(0, 0.2))) / 2, 1, 5) for name in SCORES
    }
    expected = {f"{name}_expected": float(np.clip(3.1 + 0.75 * ability[name], 1, 5)) for name in SCORES}
    return {"full_text": text, **rated, **expected}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    frame = pd.DataFrame([essay(rng) for _ in range(TRAINED + TESTED)])
    numbers = rng.choice(16**6, len(frame), replace=False) + 16**6
    frame.insert(0, "text_id", [f"{number:X}" for number in numbers])
    expected = pd.DataFrame({name: frame.pop(f"{name}_expected") for name in SCORES})
    train, test = frame[:TRAINED], frame[TRAINED:]
    trivial = train[SCORES].mean().to_dict()
    split(args.out, train, test, "text_id", SCORES, trivial, {name: expected[name][TRAINED:] for name in SCORES})


main()
