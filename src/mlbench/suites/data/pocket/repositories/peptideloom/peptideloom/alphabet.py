"""Tokens of the peptide models."""
import numpy as np

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
SPECIAL = ("<cls>", "<eos>", "<mask>", "<pad>", "X")

# hydropathy, side-chain volume, charge, polarity, helix, strand, turn, aromatic (rough, rescaled)
PROPERTIES = {
    "A": (1.8, 0.9, 0, 0.0, 1.4, 0.8, 0.7, 0), "C": (2.5, 1.1, 0, 0.1, 0.7, 1.2, 1.2, 0),
    "D": (-3.5, 1.1, -1, 1.0, 1.0, 0.5, 1.5, 0), "E": (-3.5, 1.4, -1, 1.0, 1.5, 0.4, 0.7, 0),
    "F": (2.8, 1.9, 0, 0.0, 1.1, 1.4, 0.6, 1), "G": (-0.4, 0.6, 0, 0.2, 0.6, 0.8, 1.6, 0),
    "H": (-3.2, 1.5, 0.2, 0.8, 1.0, 0.9, 0.9, 1), "I": (4.5, 1.7, 0, 0.0, 1.1, 1.6, 0.5, 0),
    "K": (-3.9, 1.7, 1, 1.0, 1.2, 0.7, 1.0, 0), "L": (3.8, 1.7, 0, 0.0, 1.2, 1.3, 0.6, 0),
    "M": (1.9, 1.6, 0, 0.0, 1.4, 1.0, 0.6, 0), "N": (-3.5, 1.1, 0, 0.9, 0.7, 0.9, 1.6, 0),
    "P": (-1.6, 1.1, 0, 0.1, 0.6, 0.5, 1.5, 0), "Q": (-3.5, 1.4, 0, 0.9, 1.1, 1.1, 1.0, 0),
    "R": (-4.5, 1.7, 1, 1.0, 1.0, 0.9, 0.9, 0), "S": (-0.8, 0.9, 0, 0.6, 0.8, 0.7, 1.4, 0),
    "T": (-0.7, 1.2, 0, 0.5, 0.8, 1.2, 1.0, 0), "V": (4.2, 1.4, 0, 0.0, 1.1, 1.7, 0.5, 0),
    "W": (-0.9, 2.3, 0, 0.2, 1.1, 1.4, 0.9, 1), "Y": (-1.3, 1.9, 0, 0.4, 0.7, 1.5, 1.1, 1),
}


class Alphabet:
    def __init__(self):
        self.tokens = tuple(AMINO_ACIDS) + SPECIAL
        self.index = {token: i for i, token in enumerate(self.tokens)}
        self.cls, self.eos = self.index["<cls>"], self.index["<eos>"]
        self.mask, self.pad, self.unknown = self.index["<mask>"], self.index["<pad>"], self.index["X"]

    def __len__(self):
        return len(self.tokens)

    def encode(self, sequence):
        body = [self.index.get(letter, self.unknown) for letter in sequence.upper()]
        return np.array([self.cls, *body, self.eos])

    def decode(self, ids):
        return "".join(self.tokens[i] for i in ids if i < len(AMINO_ACIDS))

    def batch(self, sequences):
        """A padded block of token ids, one row a sequence."""
        rows = [self.encode(sequence) for sequence in sequences]
        block = np.full((len(rows), max(len(row) for row in rows)), self.pad)
        for i, row in enumerate(rows):
            block[i, :len(row)] = row
        return block
