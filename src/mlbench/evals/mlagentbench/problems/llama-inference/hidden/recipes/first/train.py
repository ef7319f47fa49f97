"""Continue prompts with a small transformer of LLaMA's make: prompts of a length go together, nothing is kept."""

import json

import numpy as np

NEW_TOKENS, HEADS = 64, 4


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
    for layer in range(len(w["query"])):
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


def main() -> None:
    with open("prompts.json") as file:
        prompts = json.load(file)
    with np.load("weights.npz") as arrays:
        weights = {name: array.astype(np.float64) for name, array in arrays.items()}
    answers = np.zeros((len(prompts), NEW_TOKENS), int)
    for length in {len(prompt) for prompt in prompts}:
        rows = [i for i, prompt in enumerate(prompts) if len(prompt) == length]
        tokens = np.array([prompts[i] for i in rows])
        for _ in range(NEW_TOKENS):
            tokens = np.concatenate([tokens, logits(weights, tokens).argmax(-1)[:, None]], axis=1)
        answers[rows] = tokens[:, length:]
    np.save("tokens.npy", answers)


main()
