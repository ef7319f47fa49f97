"""Tunes out of a hat: every kind has a metre, a mode and a few melodic habits.

A tune is a list of tokens: ``degree:length`` (degree 1..7, with ``'`` an octave up, length in eighths)
and ``|`` at the end of each bar.
"""
import zlib

import numpy as np

KINDS = {
    # name: (eighths in a bar, lengths, their weights, favoured degrees, leapiness)
    "reels": (8, (1, 2), (0.8, 0.2), (1, 3, 5), 1.2),
    "jigs": (6, (1, 2, 3), (0.7, 0.1, 0.2), (1, 5, 6), 1.4),
    "hornpipes": (8, (1, 2, 3), (0.6, 0.3, 0.1), (1, 3, 5), 2.0),
    "polkas": (4, (1, 2), (0.6, 0.4), (1, 2, 5), 1.0),
    "airs": (6, (1, 2, 3, 4), (0.2, 0.4, 0.2, 0.2), (2, 5, 6), 1.1),
    "laments": (8, (2, 3, 4), (0.5, 0.2, 0.3), (2, 4, 6), 0.9),
}


def spell(pitch):
    return str(pitch % 7 + 1) + "'" * (pitch // 7)


def _bar(rng, kind, pitch):
    beats, lengths, weights, home, leap = kind
    left, out = beats, []
    while left:
        length = min(int(rng.choice(lengths, p=weights)), left)
        step = int(round(rng.normal(0, leap)))
        pitch = min(max(pitch + step, 0), 11)
        if left == beats and rng.random() < 0.5:
            pitch = int(rng.choice(home)) - 1
        out.append(f"{spell(pitch)}:{length}")
        left -= length
    return out + ["|"], pitch


def make_tune(rng, kind):
    out = []
    for _ in range(2):                      # part A, part B
        pitch = int(rng.choice(kind[3])) - 1
        motif = []
        for _ in range(3):
            bar, pitch = _bar(rng, kind, pitch)
            motif += bar
        last = [f"1:{kind[0] // 2}", f"1:{kind[0] - kind[0] // 2}", "|"]
        other, _ = _bar(rng, kind, pitch)
        out += motif + other + motif + last
    return out


def make_corpus(dataset, tunes=60, seed=1):
    """`tunes` tunes of one kind."""
    if dataset not in KINDS:
        raise ValueError(f"no such kind of tune: {dataset!r}")
    rng = np.random.default_rng([zlib.crc32(dataset.encode()), seed])
    return [make_tune(rng, KINDS[dataset]) for _ in range(tunes)]


def split(tunes, holdout=0.2):
    """The last part of the tunes is held out."""
    cut = max(1, int(len(tunes) * (1 - holdout)))
    return tunes[:cut], tunes[cut:]
