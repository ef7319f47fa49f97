"""Continue prompts with a small transformer of LLaMA's make; keys and values of earlier tokens are kept."""

import json

import numpy as np

NEW_TOKENS, HEADS = 64, 4


def normed(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def rotated(x: np.ndarray, first: int) -> np.ndarray:
    """Rotary positions: x is (length, heads, size), the row is the position after `first`."""
    half = x.shape[-1] // 2
    angles = (first + np.arange(len(x)))[:, None, None] * 10000.0 ** (-np.arange(half) / half)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate(
        [left * np.cos(angles) - right * np.sin(angles), left * np.sin(angles) + right * np.cos(angles)], -1
    )


def softmax(x: np.ndarray) -> np.ndarray:
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def logits(weights: dict[str, np.ndarray], tokens: list[int], kept: list) -> np.ndarray:
    """What the model says of the token after the last of `tokens`, which follow those of `kept`."""
    x = weights["embedding"][tokens].astype(np.float64)
    first = len(kept[0][0]) if kept else 0
    length, width = x.shape
    future = np.triu(np.full((length, first + length), -np.inf), 1 + first)
    for layer in range(len(weights["query"])):
        h = normed(x, weights["norm1"][layer])
        query, key, value = (
            (h @ weights[name][layer]).reshape(length, HEADS, -1) for name in ("query", "key", "value")
        )
        query, key = rotated(query, first), rotated(key, first)
        if first:
            key, value = np.concatenate([kept[layer][0], key]), np.concatenate([kept[layer][1], value])
            kept[layer] = (key, value)
        else:
            kept.append((key, value))
        scores = np.einsum("qhs,khs->hqk", query, key, optimize=True) / np.sqrt(width // HEADS)
        attended = np.einsum("hqk,khs->qhs", softmax(scores + future), value, optimize=True)
        x = x + attended.reshape(length, width) @ weights["out"][layer]
        h = normed(x, weights["norm2"][layer])
        gate = h @ weights["gate"][layer]
        x = x + (gate / (1 + np.exp(-gate)) * (h @ weights["up"][layer])) @ weights["down"][layer]
    return normed(x[-1:], weights["norm"]) @ weights["head"]


with open("prompts.json") as file:
    prompts = json.load(file)
with np.load("weights.npz") as arrays:
    weights = dict(arrays)
answers = []
for prompt in prompts:
    kept, tokens, new = [], list(prompt), []
    for _ in range(NEW_TOKENS):
        tokens = [int(logits(weights, tokens, kept)[-1].argmax())]
        new += tokens
    answers.append(new)
np.save("tokens.npy", np.array(answers))
