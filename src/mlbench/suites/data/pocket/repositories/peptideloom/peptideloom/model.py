"""The encoder: a narrow transformer whose body is woven from a seed and whose head is fitted.

The token embedding is a projection of physico-chemical properties; attention and
feed-forward blocks are orthogonal maps (echo-state style). Only the output head is trained,
by softmax regression on masked residues of `assets/corpus.fasta`.
"""
from pathlib import Path

import numpy as np

from .alphabet import AMINO_ACIDS, PROPERTIES
from .data import read_fasta

CORPUS = Path(__file__).parent / "assets" / "corpus.fasta"
POOLS = ("mean", "max", "cls", "last")


def _orthogonal(rng, rows, columns, gain=1.0):
    q, _ = np.linalg.qr(rng.normal(size=(max(rows, columns),) * 2))
    return (gain * q[:rows, :columns]).astype(np.float32)


def _norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


class LoomModel:
    def __init__(self, name, layers, dim, heads, generation, seed, alphabet):
        self.name, self.num_layers, self.dim, self.heads = name, layers, dim, heads
        self.generation, self.alphabet = generation, alphabet
        rng = np.random.default_rng(seed)
        table = np.array([PROPERTIES[letter] for letter in AMINO_ACIDS])
        table = (table - table.mean(0)) / table.std(0)
        embedding = rng.normal(scale=0.3, size=(len(alphabet), dim))
        embedding[:len(AMINO_ACIDS)] += table @ rng.normal(size=(table.shape[1], dim)) / np.sqrt(table.shape[1])
        embedding[alphabet.mask] = 0
        self.embedding = embedding.astype(np.float32)
        self.blocks = []
        for _ in range(layers):
            self.blocks.append({
                "query": _orthogonal(rng, dim, dim), "key": _orthogonal(rng, dim, dim),
                "value": _orthogonal(rng, dim, dim, 0.7), "out": _orthogonal(rng, dim, dim, 0.7),
                "up": _orthogonal(rng, dim, 2 * dim, 0.9), "down": _orthogonal(rng, 2 * dim, dim, 0.6),
                "reach": rng.uniform(1.5, 6.0, size=heads).astype(np.float32),
                "centre": rng.integers(-4, 5, size=heads).astype(np.float32),
            })
        self._head = None

    def forward(self, tokens, upto=None):
        """Hidden states after 0..upto layers, each (batch, length, dim), and the attention maps."""
        upto = self.num_layers if upto is None else upto
        valid = tokens != self.alphabet.pad
        batch, length = tokens.shape
        position = np.arange(length, dtype=np.float32)
        distance = position[None, :] - position[:, None]
        block_out = np.where(valid, 0, -1e4).astype(np.float32)[:, None, None, :]
        x = self.embedding[tokens]
        states, maps = [x], []
        width = self.dim // self.heads
        for block in self.blocks[:upto]:
            h = _norm(x)

            def split(name):
                return (h @ block[name]).reshape(batch, length, self.heads, width).transpose(0, 2, 1, 3)

            scores = split("query") @ split("key").swapaxes(-1, -2) / np.float32(np.sqrt(width))
            if self.generation == 1:
                bias = -np.abs(distance[None] - block["centre"][:, None, None]) / block["reach"][:, None, None]
            else:
                bias = np.cos(distance[None] / block["reach"][:, None, None]) - np.abs(distance[None]) / 12
            attention = softmax(scores + bias[None] + block_out)
            mixed = (attention @ split("value")).transpose(0, 2, 1, 3).reshape(batch, length, self.dim)
            x = x + mixed @ block["out"]
            x = x + np.tanh(_norm(x) @ block["up"]) @ block["down"]
            states.append(x)
            maps.append(attention)
        return states, maps

    def resolve_layer(self, layer):
        if not -(self.num_layers + 1) <= layer <= self.num_layers:
            raise ValueError(f"{self.name} has layers 0..{self.num_layers}, not {layer}")
        return layer % (self.num_layers + 1)

    def embed(self, records, layer=-1, pool="mean"):
        """One vector a record: (number of records, dim)."""
        if pool not in POOLS:
            raise ValueError(f"pool must be one of {', '.join(POOLS)}, not {pool!r}")
        layer = self.resolve_layer(layer)
        tokens = self.alphabet.batch([getattr(r, "sequence", r) for r in records])
        states = self.forward(tokens, upto=layer)[0][layer]
        out = []
        for row, state in zip(tokens, states):
            length = int((row != self.alphabet.pad).sum())
            body = state[1:length - 1]
            out.append({"mean": body.mean(0), "max": body.max(0), "cls": state[0], "last": body[-1]}[pool])
        return np.stack(out)

    def contacts(self, states, attention, length):
        """Contact probabilities of one sequence from its last attention maps and hidden states."""
        body = slice(1, length + 1)
        a = attention[:, body, body].mean(0)
        a = a + a.T
        a = a - a.sum(0, keepdims=True) * a.sum(1, keepdims=True) / a.sum()
        h = _norm(states[body])
        similarity = h @ h.T / h.shape[1]
        logits = 6 * a / (np.abs(a).max() + 1e-9) + similarity - 1.0
        return 1 / (1 + np.exp(-logits))

    @property
    def head(self):
        if self._head is None:
            self._head = self._fit_head()
        return self._head

    def _fit_head(self, rounds=2, steps=60, rate=0.6):
        sequences = [record.sequence for record in read_fasta(CORPUS, max_length=44)]
        tokens = self.alphabet.batch(sequences)
        rng = np.random.default_rng(5)
        features, targets = [], []
        for _ in range(rounds):
            chosen = (rng.random(tokens.shape) < 0.15) & (tokens < len(AMINO_ACIDS))
            masked = np.where(chosen, self.alphabet.mask, tokens)
            features.append(_norm(self.forward(masked)[0][-1][chosen]))
            targets.append(tokens[chosen])
        x, y = np.concatenate(features), np.eye(len(AMINO_ACIDS), dtype=np.float32)[np.concatenate(targets)]
        weight = np.zeros((self.dim, y.shape[1]), np.float32)
        bias = np.log(y.mean(0) + 1e-3)
        for _ in range(steps):
            error = (softmax(x @ weight + bias) - y) / len(x)
            weight -= rate * (x.T @ error + 1e-3 * weight)
            bias -= rate * error.sum(0)
        return weight, bias

    def log_probabilities(self, tokens):
        """Log-probability of each of the 20 residues at each position: (batch, length, 20)."""
        weight, bias = self.head
        logits = _norm(self.forward(tokens)[0][-1]) @ weight + bias
        logits = logits - logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))
