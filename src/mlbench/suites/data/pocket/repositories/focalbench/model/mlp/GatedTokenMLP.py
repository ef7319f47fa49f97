import numpy as np

from model.base import Layer, gelu, layer_norm, tokens_of


class GatedTokenMLP(Layer):
    """Blocks in which one half of the channels, mixed over the tokens, gates the other half."""

    def __init__(self, d_model, seq_len, expansion=4, depth=2, seed=0):
        super().__init__(seed)
        if (d_model * expansion) % 2:
            raise ValueError("d_model * expansion must be even")
        if depth < 1 or expansion < 1:
            raise ValueError("depth and expansion must be positive")
        self.d_model, self.seq_len, self.depth = d_model, seq_len, depth
        wide = d_model * expansion
        for i in range(depth):
            self.weight(f"in{i}", d_model, wide)
            self.weight(f"mix{i}", seq_len, seq_len, fan_in=seq_len * 100)
            self.params[f"shift{i}"] = np.ones((seq_len, 1))
            self.weight(f"out{i}", wide // 2, d_model)

    def forward(self, x):
        tokens_of(x, self.d_model, "GatedTokenMLP")
        if x.shape[1] != self.seq_len:
            raise ValueError(f"made for {self.seq_len} tokens, got {x.shape[1]}")
        for i in range(self.depth):
            u, v = np.split(gelu(layer_norm(x) @ self[f"in{i}"]), 2, axis=2)
            x = x + (u * (self[f"mix{i}"] @ layer_norm(v) + self[f"shift{i}"])) @ self[f"out{i}"]
        return x
