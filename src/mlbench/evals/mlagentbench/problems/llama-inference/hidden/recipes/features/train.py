"""Continue prompts with a small transformer of LLaMA's make: keys and values are kept, prompts go together."""

import json

import numpy as np

NEW_TOKENS, HEADS = 64, 4


def normed(x: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def rotated(x: np.ndarray, first: int) -> np.ndarray:
    """Rotary positions: x is (batch, heads, length, size), its first row stands at position `first`."""
    half = x.shape[-1] // 2
    angles = np.arange(first, first + x.shape[2])[:, None] * 10000.0 ** (-np.arange(half) / half)
    cos, sin = np.cos(angles), np.sin(angles)
    left, right = x[..., :half], x[..., half:]
    return np.concatenate([left * cos - right * sin, left * sin + right * cos], -1)


class Model:
    """Keeps the keys and values (layer, batch, head, position, size) of what it was fed."""

    def __init__(self, weights: dict[str, np.ndarray], batch: int, longest: int) -> None:
        self.weights = {name: array.astype(np.float64) for name, array in weights.items()}
        layers, width, _ = weights["query"].shape
        self.keys, self.values = (np.zeros((layers, batch, HEADS, longest, width // HEADS)) for _ in range(2))
        self.seen = 0

    def next_tokens(self, tokens: np.ndarray) -> np.ndarray:
        """Feed (batch, length) tokens; the likeliest next one of each row."""
        w, first = self.weights, self.seen
        x = w["embedding"][tokens]
        batch, length, width = x.shape
        self.seen = end = first + length
        future = np.triu(np.full((length, end), -np.inf), 1 + first)

        def heads(array: np.ndarray) -> np.ndarray:
            return array.reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)

        for layer in range(len(w["query"])):
            h = normed(x, w["norm1"][layer])
            query = rotated(heads(h @ w["query"][layer]), first)
            self.keys[layer, :, :, first:end] = rotated(heads(h @ w["key"][layer]), first)
            self.values[layer, :, :, first:end] = heads(h @ w["value"][layer])
            scores = query @ self.keys[layer, :, :, :end].swapaxes(-1, -2) / np.sqrt(width // HEADS) + future
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            attended = scores / scores.sum(-1, keepdims=True) @ self.values[layer, :, :, :end]
            x = x + attended.transpose(0, 2, 1, 3).reshape(batch, length, width) @ w["out"][layer]
            h = normed(x, w["norm2"][layer])
            gate = h @ w["gate"][layer]
            x = x + (gate / (1 + np.exp(-gate)) * (h @ w["up"][layer])) @ w["down"][layer]
        return (normed(x[:, -1], w["norm"]) @ w["head"]).argmax(-1)


def main() -> None:
    with open("prompts.json") as file:
        prompts = json.load(file)
    with np.load("weights.npz") as arrays:
        weights = dict(arrays)
    answers = np.zeros((len(prompts), NEW_TOKENS), int)
    for length in {len(prompt) for prompt in prompts}:
        rows = [i for i, prompt in enumerate(prompts) if len(prompt) == length]
        model = Model(weights, len(rows), length + NEW_TOKENS)
        tokens = np.array([prompts[i] for i in rows])
        for step in range(NEW_TOKENS):
            answers[rows, step] = found = model.next_tokens(tokens)
            tokens = found[:, None]
    np.save("tokens.npy", answers)


main()
