from model.base import Layer, gelu, layer_norm, tokens_of


class TokenMixer(Layer):
    """Two MLPs in turn, over the tokens and over the channels."""

    def __init__(self, n_tokens, d_model, token_hidden=64, channel_hidden=256, depth=1, seed=0):
        super().__init__(seed)
        self.n_tokens, self.d_model, self.depth = n_tokens, d_model, depth
        for i in range(depth):
            self.weight(f"t1_{i}", n_tokens, token_hidden)
            self.weight(f"t2_{i}", token_hidden, n_tokens)
            self.weight(f"c1_{i}", d_model, channel_hidden)
            self.weight(f"c2_{i}", channel_hidden, d_model)

    def forward(self, x):
        tokens_of(x, self.d_model, "TokenMixer")
        for i in range(self.depth):
            t = layer_norm(x).transpose(0, 2, 1)
            x = x + (gelu(t @ self[f"t1_{i}"]) @ self[f"t2_{i}"]).transpose(0, 2, 1)
            x = x + gelu(layer_norm(x) @ self[f"c1_{i}"]) @ self[f"c2_{i}"]
        return x
