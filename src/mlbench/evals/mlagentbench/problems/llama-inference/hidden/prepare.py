"""Random weights of a small transformer, prompts to work with, prompts to be measured on and what has to follow those.

A prompt is taken only where every token is likelier than the next best by a clear margin, so that the order of a sum
cannot turn one, and where many different tokens follow.
"""

import argparse
import json
from pathlib import Path

import numpy as np

NEW_TOKENS, HEADS, LAYERS, WIDTH, INNER, TOKENS = 64, 4, 4, 64, 160, 256
MARGIN, DIFFERENT = 0.01, 24


def weights_of(rng: np.random.Generator) -> dict[str, np.ndarray]:
    def random(*shape: int, scale: float = 1.0) -> np.ndarray:
        return rng.normal(0, scale / np.sqrt(shape[-2]), shape)

    found = {
        "embedding": rng.normal(0, 1, (TOKENS, WIDTH)),
        **{name: random(LAYERS, WIDTH, WIDTH, scale=2.0) for name in ("query", "key")},
        **{name: random(LAYERS, WIDTH, WIDTH, scale=1.5) for name in ("value", "out")},
        **{name: random(LAYERS, WIDTH, INNER) for name in ("gate", "up")},
        "down": random(LAYERS, INNER, WIDTH, scale=1.5),
        "head": random(WIDTH, TOKENS, scale=4.0),
        **{name: rng.uniform(0.8, 1.2, (LAYERS, WIDTH)) for name in ("norm1", "norm2")},
        "norm": rng.uniform(0.8, 1.2, WIDTH),
    }
    return {name: array.astype(np.float32) for name, array in found.items()}


def normed(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def rotated(x: np.ndarray) -> np.ndarray:
    half = x.shape[-1] // 2
    angles = np.arange(x.shape[2])[:, None] * 10000.0 ** (-np.arange(half) / half)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate(
        [left * np.cos(angles) - right * np.sin(angles), left * np.sin(angles) + right * np.cos(angles)], -1
    )


def logits(w: dict[str, np.ndarray], tokens: np.ndarray) -> np.ndarray:
    """Of the last position: tokens (batch, length), result (batch, vocabulary)."""
    x = w["embedding"][tokens].astype(np.float64)
    batch, length, width = x.shape
    future = np.triu(np.full((length, length), -np.inf), 1)
    for layer in range(LAYERS):
        h = normed(x, w["norm1"][layer])
        query, key, value = (
            (h @ w[name][layer]).reshape(batch, length, HEADS, -1).swapaxes(1, 2) for name in ("query", "key", "value")
        )
        scores = rotated(query) @ rotated(key).swapaxes(-1, -2) / np.sqrt(width // HEADS) + future
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        attended = scores / scores.sum(-1, keepdims=True) @ value
        x = x + attended.swapaxes(1, 2).reshape(batch, length, width) @ w["out"][layer]
        h = normed(x, w["norm2"][layer])
        gate = h @ w["gate"][layer]
        x = x + (gate / (1 + np.exp(-gate)) * (h @ w["up"][layer])) @ w["down"][layer]
    return normed(x[:, -1], w["norm"]) @ w["head"]


def good_prompts(rng: np.random.Generator, w: dict[str, np.ndarray], length: int) -> list[list[int]]:
    """Prompts of one length, each with what follows."""
    tokens = rng.integers(0, TOKENS, (32, length))
    for _ in range(NEW_TOKENS):
        found = logits(w, tokens)
        best = np.sort(found, axis=-1)
        clear = best[:, -1] - best[:, -2] > MARGIN  # the others are not continued
        tokens = np.concatenate([tokens[clear], found[clear].argmax(-1)[:, None]], axis=1)
    return [row.tolist() for row in tokens if len(set(row[length:])) >= DIFFERENT]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    for part in ("visible", "hidden"):
        (args.out / part).mkdir(parents=True)
    w = weights_of(rng)
    np.savez(args.out / "visible/weights.npz", **w)
    for part in ("visible", "hidden"):
        drawn = np.repeat(rng.choice(np.arange(14, 42, 2), 4, replace=False), [3, 3, 3, 1])
        pools: dict[int, list[list[int]]] = {int(length): [] for length in drawn}
        for length, pool in pools.items():
            while len(pool) < list(drawn).count(length):
                pool += good_prompts(rng, w, length)
        rows = [(pools[length].pop(), length) for length in map(int, rng.permutation(drawn))]
        (args.out / part / "prompts.json").write_text(json.dumps([tokens[:length] for tokens, length in rows]))
        if part == "hidden":
            np.save(args.out / "hidden/answers.npy", np.array([tokens[length:] for tokens, length in rows]))


main()
