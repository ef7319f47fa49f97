"""Write translations to score, and the folders that programs write to.

python make_data.py CHECKOUT TARGET
"""

import random
import sys
from pathlib import Path

REFERENCES = ("ref-translation.de", "refs/newstest.de", "gold.txt", "root/data/wmt/reference.txt")
TRANSLATIONS = ("translation.en", "out/decoded.txt", "system.txt", "best.de", "root/data/out/mt.txt")
FOLDERS = ("toy_data", "data")
WORDS = ("Der", "die", "das", "Haus", "Baum", "Hund", "Frau", "sieht", "kennt", "sucht", "und", "nicht", "alte", "neue")
LINES = 20


def main(target: Path) -> None:
    """Write sentences; a translation differs from the references in some words and in their case."""
    rng = random.Random(0)
    sentences = [[rng.choice(WORDS) for _ in range(rng.randint(6, 12))] for _ in range(LINES)]
    for share, names in ((0.05, REFERENCES), (0.3, TRANSLATIONS)):
        for name in names:
            lines = (" ".join(changed(word, share, rng) for word in sentence) for sentence in sentences)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text("".join(f"{line}\n" for line in lines))
    for name in FOLDERS:
        (target / name).mkdir()
        (target / name / ".keep").touch()


def changed(word: str, share: float, rng: random.Random) -> str:
    """Return the word, or, with this probability, another one or the same in lower case."""
    return rng.choice((rng.choice(WORDS), word.lower())) if rng.random() < share else word


if __name__ == "__main__":
    main(Path(sys.argv[2]))
