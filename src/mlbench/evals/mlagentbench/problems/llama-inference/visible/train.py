"""Continue prompts with a small transformer of LLaMA's make, computing everything anew for every token."""

import json
import time

import numpy as np

NEW_TOKENS, HEADS = 64, 4


def normed(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def rotated(x: np.ndarray) -> np.ndarray:
    """Rotary positions: x is (length, heads, size), the row is the position."""
    half = x.shape[-1] // 2
    angles = np.arange(len(x))[:, None, None] * 10000.0 ** (-np.arange(half) / half)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate(
        [left * np.cos(angles) - right * np.sin(angles), left * np.sin(angles) + right * np.cos(angles)], -1
    )


def softmax(x: np.ndarray) -> np.ndarray:
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def logits(weights: dict[str, np.ndarray], tokens: list[int]) -> np.ndarray:
    """What the model says of the token after each of `tokens`: (length, vocabulary)."""
    x = weights["embedding"][tokens].astype(np.float64)
    length, width = x.shape
    future = np.triu(np.full((length, length), -np.inf), 1)
    for layer in range(len(weights["query"])):
        h = normed(x, weights["norm1"][layer])
        query, key, value = (
            (h @ weights[name][layer]).reshape(length, HEADS, -1) for name in ("query", "key", "value")
        )
        query, key = rotated(query), rotated(key)
        attended = np.zeros_like(value)
        for head in range(HEADS):
            scores = query[:, head] @ key[:, head].T / np.sqrt(width // HEADS)
            attended[:, head] = softmax(scores + future) @ value[:, head]
        x = x + attended.reshape(length, width) @ weights["out"][layer]
        h = normed(x, weights["norm2"][layer])
        gate = h @ weights["gate"][layer]
        x = x + (gate / (1 + np.exp(-gate)) * (h @ weights["up"][layer])) @ weights["down"][layer]
    return normed(x, weights["norm"]) @ weights["head"]


def main() -> None:
    with open("prompts.json") as file:
        prompts = json.load(file)
    with np.load("weights.npz") as arrays:
        weights = dict(arrays)
    began = time.perf_counter()
    answers = []
    for prompt in prompts:
        tokens = list(prompt)
        for _ in range(NEW_TOKENS):
            tokens.append(int(logits(weights, tokens)[-1].argmax()))
        answers.append(tokens[len(prompt) :])
    print(f"{(time.perf_counter() - began) / len(prompts) / NEW_TOKENS:.5f} seconds per token")
    np.save("tokens.npy", np.array(answers))


main()
