"""Counts tokens offline: by tiktoken, a tokenizer's own file, or an estimate.

Nothing is downloaded: an encoding needs its data in tiktoken's cache on this machine.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

from mlbench.records import UsageError

# the file's name in tiktoken's cache, and the SHA-256 that tiktoken expects
_ENCODINGS = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
MARGIN = 0.10
"""The estimate was at most 8.2 % below the true count of a context of 128,000 tokens (docs/explanation/settings.md)."""


@dataclass(frozen=True)
class Counter:
    """Counts the tokens of a text.

    Attributes:
        name: for the record; counters of the same name count alike.
        margin: by this share of the count, the true number may be higher.
    """

    name: str
    count: Callable[[str], int]
    margin: float = 0.0

    def fits(self, budget: int) -> int:
        """How many counted tokens are surely at most `budget` real ones."""
        return int(budget / (1 + self.margin))


@cache
def counter(tokenizer: str) -> Counter:
    """The counter `estimate`, `cl100k_base`, `o200k_base`, or of the `tokenizer.json` at a path.

    Raises:
        UsageError: it is unknown, its data are not on this machine, or its library is not installed.
    """
    if tokenizer == "estimate":
        return Counter("estimate", estimate, MARGIN)
    if tokenizer in _ENCODINGS:
        return _encoding(tokenizer)
    if tokenizer.endswith(".json"):
        return _from_file(Path(tokenizer))
    known = ", ".join(("estimate", *_ENCODINGS))
    raise UsageError(f"no tokenizer {tokenizer!r}; there are: {known}, or the path of a tokenizer.json")


def _encoding(name: str) -> Counter:
    known_as, wanted = _ENCODINGS[name]
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    file = Path(folder or Path(tempfile.gettempdir(), "data-gym-cache")) / known_as
    # an empty name turns the cache off; tiktoken would download a file with another hash anew
    if folder == "" or not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != wanted:
        raise UsageError(
            f"the data of {name} are not on this machine (looked for {file}); use --tokenizer estimate,"
            " or let tiktoken fetch them where there is a network"
        )
    import tiktoken

    encoding = tiktoken.get_encoding(name)
    return Counter(name, lambda text: len(encoding.encode_ordinary(text)))


def _from_file(file: Path) -> Counter:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror}); expected a tokenizer.json") from error
    try:
        library = import_module("tokenizers")
    except ImportError as error:
        raise UsageError(f"{file}: reading it needs the library tokenizers: pip install tokenizers") from error
    try:
        tokenizer = library.Tokenizer.from_str(content.decode())
    except Exception as error:  # the library has no narrower error
        raise UsageError(f"{file}: not a tokenizer: {' '.join(str(error).split())[:200]}") from error
    name = f"{file.name}:{hashlib.sha256(content).hexdigest()[:12]}"
    return Counter(name, lambda text: len(tokenizer.encode(text, add_special_tokens=False)))


_LETTER, _DIGIT, _SPACE, _END, _MARK, _HIGH = range(6)


def _kinds() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    kinds = np.full(256, _MARK, np.uint8)
    kinds[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = _LETTER
    kinds[list(b"0123456789")] = _DIGIT
    kinds[list(b" \t")] = _SPACE
    kinds[list(b"\r\n")] = _END
    kinds[128:] = _HIGH
    return kinds


_KIND = _kinds()
_UPPER = np.zeros(256, bool)
_UPPER[65:91] = True


def estimate(text: str) -> int:
    """The approximate number of byte-pair tokens of code and English; takes 8 ms for 500 KB.

    Byte-pair encodings first cut a text into runs of letters, of up to three digits, of punctuation and of white space.
    Each kind of run costs a fraction of a token. The fractions are a least-squares fit to cl100k_base and
    o200k_base over the texts of the eighteen repositories. docs/explanation/settings.md states the error.
    """
    if not text:
        return 0
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    kinds, upper = _KIND[data], _UPPER[data]
    edges = np.flatnonzero(kinds[1:] != kinds[:-1]) + 1
    starts = np.concatenate(([0], edges))
    lengths = np.diff(np.concatenate((starts, [len(kinds)])))
    runs = kinds[starts]
    letters, digits, marks = (lengths[runs == kind] for kind in (_LETTER, _DIGIT, _MARK))
    tokens = (
        0.97 * len(letters)
        + 0.23 * np.maximum(letters - 9, 0).sum()
        + 0.72 * np.count_nonzero(upper[1:] & (kinds[:-1] == _LETTER) & ~upper[:-1])  # camelCase
        + 0.21 * np.count_nonzero(upper[1:] & upper[:-1])  # CAPITALS
        + 1.63 * ((digits + 2) // 3).sum()
        + 1.44 * np.count_nonzero(runs == _END)
        + 0.59 * len(marks)
        + 0.20 * np.maximum(marks - 1, 0).sum()
        + 1.0 * np.count_nonzero((data >= 0xC0) & (data < 0xE0))  # Latin with accents, Greek, Cyrillic
        + 1.3 * np.count_nonzero((data >= 0xE0) & (data < 0xF0))  # Chinese, Japanese
        + 2.5 * np.count_nonzero(data >= 0xF0)  # pictures
    )
    return max(1, round(float(tokens)))
