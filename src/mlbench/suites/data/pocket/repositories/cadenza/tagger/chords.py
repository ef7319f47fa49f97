"""Chord sequences with their functions: T(onic), S(ubdominant), D(ominant), P(assing)."""
import zlib

import numpy as np

TAGS = ("T", "S", "D", "P")
COLLECTIONS = {
    # name: (moves between functions, share of ambiguous chords)
    "hymns": ([[2, 4, 4, 1], [2, 1, 6, 1], [8, 1, 1, 1], [2, 2, 2, 1]], 0.15),
    "standards": ([[1, 5, 2, 3], [1, 2, 7, 2], [6, 2, 1, 2], [2, 5, 3, 1]], 0.35),
    "madrigals": ([[2, 3, 3, 3], [3, 2, 3, 2], [5, 2, 2, 2], [4, 2, 2, 2]], 0.3),
    "waltzes": ([[4, 1, 5, 1], [1, 2, 6, 1], [6, 1, 4, 0], [3, 1, 3, 1]], 0.1),
    "rags": ([[2, 2, 4, 4], [3, 1, 4, 3], [5, 1, 2, 4], [3, 3, 4, 1]], 0.25),
}
CHORDS = {"T": ("I", "vi", "I6", "iii"), "S": ("IV", "ii", "ii7", "vi"), "D": ("V", "V7", "viio", "iii"),
          "P": ("I64", "bVII", "ii", "viio")}


def load(collection, pieces=60, seed=1):
    """A list of (chords, tags)."""
    if collection not in COLLECTIONS:
        raise ValueError(f"no such collection: {collection!r}")
    moves, doubt = COLLECTIONS[collection]
    moves = np.array(moves, dtype=float)
    moves /= moves.sum(axis=1, keepdims=True)
    rng = np.random.default_rng([zlib.crc32(collection.encode()), seed])
    out = []
    for _ in range(pieces):
        state, chords, tags = 0, [], []
        for _ in range(int(rng.integers(12, 21))):
            names = CHORDS[TAGS[state]]
            weight = np.array([1 - doubt, 0.6 * (1 - doubt), 0.3, doubt])
            chords.append(str(rng.choice(names, p=weight / weight.sum())))
            tags.append(state)
            state = int(rng.choice(4, p=moves[state]))
        out.append((chords, tags))
    return out
