"""What a problem has to offer."""

import glob
import os
import random
import zlib

import numpy as np


class Problem:
    """Maps one text to another, symbol by symbol.

    A subclass gives `alphabet` (symbols of both sides), `length` (places of a sequence) and `generator`.
    """

    alphabet = ""
    length = 8
    registered_name = None

    def __init__(self, flip=False):
        self.flip = flip
        self.symbols = ["_"] + sorted(set(self.alphabet))       # number 0 fills up
        self.index = {s: i for i, s in enumerate(self.symbols)}

    @property
    def name(self):
        return self.registered_name + ("_flip" if self.flip else "")

    @property
    def vocab_size(self):
        return len(self.symbols)

    def sample(self, rng):
        """One pair (input text, target text)."""
        raise NotImplementedError

    def generator(self, split, count, seed=0):
        """`count` pairs; "train" and "eval" never share their random numbers."""
        rng = random.Random(zlib.crc32(f"{self.registered_name}/{split}/{seed}".encode()))
        for _ in range(count):
            pair = self.sample(rng)
            yield (pair[1], pair[0]) if self.flip else pair

    def encode(self, text):
        if len(text) > self.length:
            raise ValueError(f"{text!r} is longer than {self.length}")
        unknown = set(text) - set(self.index)
        if unknown:
            raise ValueError(f"{self.name} does not know {''.join(sorted(unknown))!r}")
        return [self.index[s] for s in text] + [0] * (self.length - len(text))

    def decode(self, ids):
        return "".join(self.symbols[i] for i in ids).rstrip("_")

    def arrays(self, pairs):
        """Two integer arrays (examples, length)."""
        pairs = list(pairs)
        return (np.array([self.encode(a) for a, _ in pairs]), np.array([self.encode(b) for _, b in pairs]))

    def generate_data(self, data_dir, num_train=240, num_eval=60, num_shards=2, seed=0):
        """Writes tab-separated shards; returns their paths."""
        os.makedirs(data_dir, exist_ok=True)
        paths = []
        for split, count, shards in (("train", num_train, num_shards), ("eval", num_eval, 1)):
            pairs = list(self.generator(split, count, seed))
            for old in glob.glob(os.path.join(data_dir, f"{self.name}-{split}-*")):
                os.remove(old)
            for i in range(shards):
                path = os.path.join(data_dir, f"{self.name}-{split}-{i:05d}-of-{shards:05d}.tsv")
                with open(path, "w", encoding="utf-8") as handle:
                    handle.writelines(f"{a}\t{b}\n" for a, b in pairs[i::shards])
                paths.append(path)
        return paths

    def read_data(self, data_dir, split):
        names = sorted(glob.glob(os.path.join(data_dir, f"{self.name}-{split}-*.tsv")))
        if not names:
            raise FileNotFoundError(f"no data of {self.name} in {data_dir}; run bin.forge_datagen first")
        pairs = []
        for name in names:
            with open(name, encoding="utf-8") as handle:
                pairs.extend(tuple(line.rstrip("\n").split("\t")) for line in handle)
        return self.arrays(pairs)
