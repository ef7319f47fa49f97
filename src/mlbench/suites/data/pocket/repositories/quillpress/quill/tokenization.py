"""Splits text into the pieces of a vocabulary.

A word is cut greedily, longest piece first. Pieces inside a word are written
with a leading tilde: "harbours" may become "harbour", "~s".
"""

import re

PAD, UNK, BOS, SEP, BLANK = "<pad>", "<unk>", "<bos>", "<sep>", "<blank>"
SPECIAL = (PAD, UNK, BOS, SEP, BLANK)
_WORDS = re.compile(r"[A-Za-z]+|[0-9]|[^\sA-Za-z0-9]")


def load_vocab(vocab_file):
    with open(vocab_file, encoding="utf-8") as handle:
        pieces = [line.rstrip("\n") for line in handle if line.strip()]
    if tuple(pieces[:len(SPECIAL)]) != SPECIAL:
        raise ValueError(f"{vocab_file} does not start with {' '.join(SPECIAL)}")
    return {piece: i for i, piece in enumerate(pieces)}


def split_words(text, do_lower_case=True):
    if do_lower_case:
        text = text.lower()
    return _WORDS.findall(text)


class Tokenizer:
    def __init__(self, vocab_file, do_lower_case=True):
        self.vocab = load_vocab(vocab_file)
        self.pieces = list(self.vocab)
        self.do_lower_case = do_lower_case
        self._cache = {}

    def __len__(self):
        return len(self.pieces)

    @property
    def pad_id(self):
        return self.vocab[PAD]

    @property
    def blank_id(self):
        return self.vocab[BLANK]

    def _cut(self, word):
        if word in self._cache:
            return self._cache[word]
        out, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = word[start:end] if start == 0 else "~" + word[start:end]
                if piece in self.vocab:
                    break
                end -= 1
            if end == start:
                out = [UNK]
                break
            out.append(piece)
            start = end
        self._cache[word] = out
        return out

    def tokenize(self, text):
        """The pieces of a text, as strings."""
        return [p for w in split_words(text, self.do_lower_case) for p in self._cut(w)]

    def to_ids(self, pieces):
        return [self.vocab[p] for p in pieces]

    def encode(self, text, pair=None, max_seq_length=32):
        """Ids and segment numbers of `<bos> text <sep> [pair <sep>]`, cut to max_seq_length."""
        a = self.tokenize(text)
        b = self.tokenize(pair) if pair is not None else []
        room = max_seq_length - (3 if pair is not None else 2)
        if room < 1:
            raise ValueError("max_seq_length is too small")
        while len(a) + len(b) > room:
            (a if len(a) >= len(b) else b).pop()
        pieces = [BOS] + a + [SEP]
        segments = [0] * len(pieces)
        if pair is not None:
            pieces += b + [SEP]
            segments += [1] * (len(b) + 1)
        return self.to_ids(pieces), segments
