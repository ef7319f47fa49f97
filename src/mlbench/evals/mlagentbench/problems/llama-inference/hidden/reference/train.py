"""Continue prompts with a small transformer of LLaMA's make: all prompts go together, in single precision.

Prompts of different lengths end at the same place, so that one step serves all of them. Keys and values are kept, what
depends on positions alone is computed once, and products with the same input are one product.
"""

import json

import numpy as np

NEW_TOKENS, HEADS = 64, 4


class Model:
    """Keeps the keys and values (layer, batch, head, place, size) of what it was fed."""

    def __init__(self, weights: dict[str, np.ndarray], lengths: np.ndarray) -> None:
        self.w = {name: array.astype(np.float32) for name, array in weights.items()}
        w = self.w
        layers, width, _ = w["query"].shape
        size, longest, batch = width // HEADS, int(lengths.max()), len(lengths)
        scaled = w["query"] / np.float32(np.sqrt(size))
        self.inward = np.ascontiguousarray(np.concatenate([scaled, w["key"], w["value"]], -1) * w["norm1"][..., None])
        self.wide = np.ascontiguousarray(np.concatenate([w["gate"], w["up"]], -1) * w["norm2"][..., None])
        self.head = w["head"] * w["norm"][:, None]
        self.inner, self.size, self.layers = w["gate"].shape[-1], size, layers
        places = longest + NEW_TOKENS
        self.keys, self.values = (np.zeros((layers, batch, HEADS, places, size), np.float32) for _ in range(2))
        position = np.maximum(np.arange(places) - (longest - lengths)[:, None], 0)
        angles = position[..., None] * 10000.0 ** (-np.arange(size // 2) / (size // 2))
        self.cos, self.sin = (f(angles).astype(np.float32)[:, :, None, None] for f in (np.cos, np.sin))
        unseen = np.arange(places) < (longest - lengths)[:, None]
        self.unseen = np.where(unseen, np.float32(-1e9), np.float32(0))[:, None, None]
        self.seen = 0

    def next_tokens(self, tokens: np.ndarray) -> np.ndarray:
        """Feed (batch, length) tokens; the likeliest next one of each row."""
        w, first, half = self.w, self.seen, self.size // 2
        batch, length = tokens.shape
        x = w["embedding"][tokens]
        width = x.shape[-1]
        self.seen = end = first + length
        cos, sin = self.cos[:, first:end], self.sin[:, first:end]
        mask = self.unseen[..., :end]
        if length > 1:
            mask = mask + np.triu(np.full((length, end), np.float32(-1e9)), 1 + first)
        for layer in range(self.layers):
            h = x / np.sqrt(np.einsum("blw,blw->bl", x, x)[..., None] / width + np.float32(1e-6))
            found = (h @ self.inward[layer]).reshape(batch, length, 3, HEADS, self.size)
            left, right = found[:, :, :2, :, :half], found[:, :, :2, :, half:]
            turned = np.concatenate([left * cos - right * sin, left * sin + right * cos], -1)
            query = turned[:, :, 0].swapaxes(1, 2)
            self.keys[layer, :, :, first:end] = turned[:, :, 1].swapaxes(1, 2)
            self.values[layer, :, :, first:end] = found[:, :, 2].swapaxes(1, 2)
            scores = query @ self.keys[layer, :, :, :end].swapaxes(-1, -2) + mask
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            attended = (scores @ self.values[layer, :, :, :end]) / scores.sum(-1, keepdims=True)
            x = x + attended.swapaxes(1, 2).reshape(batch, length, width) @ w["out"][layer]
            h = x / np.sqrt(np.einsum("blw,blw->bl", x, x)[..., None] / width + np.float32(1e-6))
            both = h @ self.wide[layer]
            gate = both[..., : self.inner]
            x = x + (gate / (1 + np.exp(-gate)) * both[..., self.inner :]) @ w["down"][layer]
        last = x[:, -1]
        return ((last / np.sqrt((last * last).mean(-1, keepdims=True) + np.float32(1e-6))) @ self.head).argmax(-1)


def main() -> None:
    with open("prompts.json") as file:
        prompts = json.load(file)
    with np.load("weights.npz") as arrays:
        weights = dict(arrays)
    lengths = np.array([len(prompt) for prompt in prompts])
    longest = int(lengths.max())
    tokens = np.array([[0] * (longest - len(prompt)) + prompt for prompt in prompts])
    model = Model(weights, lengths)
    answers = np.zeros((len(prompts), NEW_TOKENS), int)
    for step in range(NEW_TOKENS):
        answers[:, step] = found = model.next_tokens(tokens)
        tokens = found[:, None]
    np.save("tokens.npy", answers)


main()
