"""The texts of the BabyLM challenge of 2023 as published: ten million words to learn from, places in others to be told.

RAW/babylm_data.zip   babylm_data/babylm_10M/SOURCE.train, babylm_dev/SOURCE.dev, babylm_test/SOURCE.test: plain text in
                      UTF-8, a paragraph or utterance a line
"""

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from mlbench_preparing import called
from prepare import SCORED, SHOWN, cut, write

ARCHIVE, FOLDER = "babylm_data.zip", "babylm_data"
SOURCES = (
    "aochildes",
    "bnc_spoken",
    "cbt",
    "children_stories",
    "gutenberg",
    "open_subtitles",
    "qed",
    "simple_wikipedia",
    "switchboard",
    "wikipedia",
)
CHARACTERS, OTHER = 127, "\ufffd"
"""How many characters, the most frequent ones, are told apart, and what stands for all the others."""
LARGEST = 512 << 20  # bytes of a file; the largest that is read has 20 million


def lines(archive: zipfile.ZipFile, part: str, ending: str) -> list[str]:
    """The lines of every source, one after the other, without empty ones; each run of blanks is one blank."""
    found = []
    for source in SOURCES:
        name = f"{FOLDER}/{part}/{source}.{ending}"
        try:
            with archive.open(name) as file:
                data = file.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise SystemExit(f"{ARCHIVE}: {name} has more than {LARGEST >> 20} MiB; it is another file")
            texts = data.decode().split("\n")
        except KeyError:
            raise SystemExit(f"{ARCHIVE}: holds no {name}; it is another file") from None
        except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise SystemExit(f"{ARCHIVE}: {name} cannot be read: {error}") from None
        found += [" ".join(words) + "\n" for text in texts if (words := text.split())]
    if not found:
        raise SystemExit(f"{ARCHIVE}: {FOLDER}/{part} holds no text; it is another file")
    return found


def places(rng: np.random.Generator, texts: Sequence[str], count: int) -> list[tuple[str, int]]:
    """Texts with a place in each: every character of all of them is as likely, but for the first of a text.

    No text is taken twice: the longer beginning would tell what follows the shorter one.
    """
    lengths = np.array([len(text) - 1 for text in texts])
    chosen = rng.choice(len(texts), min(count, len(texts)), replace=False, p=lengths / lengths.sum())
    return cut([texts[number] for number in chosen], rng)


def main() -> None:
    args = called()
    try:
        with zipfile.ZipFile(args.raw / ARCHIVE) as archive:
            train = lines(archive, "babylm_10M", "train")
            valid = lines(archive, "babylm_dev", "dev")
            test = lines(archive, "babylm_test", "test")
    except (OSError, zipfile.BadZipFile) as error:
        raise SystemExit(f"{ARCHIVE}: cannot be read as zip, is it cut short? {error}") from None
    frequent = {each for each, _ in Counter("".join(train)).most_common(CHARACTERS)} | {"\n"}
    rare = re.compile(f"[^{re.escape(''.join(frequent))}]")
    train, valid, test = ([rare.sub(OTHER, text) for text in texts] for texts in (train, valid, test))
    rng = np.random.default_rng(args.seed)
    write(args.out, train, sorted({*frequent, OTHER}), places(rng, valid, SHOWN), places(rng, test, SCORED))


if __name__ == "__main__":
    main()
