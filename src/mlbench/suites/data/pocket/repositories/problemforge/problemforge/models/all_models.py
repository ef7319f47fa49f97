"""The models: numbers of symbols in, a score for every symbol at every place out."""

import numpy as np

from problemforge import registry, tape


class SymbolModel:
    """Embedding of symbols and places, a body, a projection to the vocabulary."""

    def __init__(self, problem, hparams, seed=0):
        self.problem, self.hparams = problem, hparams
        self.rng = np.random.default_rng(seed)
        self.params = {}
        h = hparams.hidden_size
        if not 0.0 <= hparams.dropout < 1.0 or h < 1 or hparams.num_layers < 0:
            raise ValueError("dropout should be from 0 to 1, hidden_size and num_layers positive")
        self.make("symbols", problem.vocab_size, h, scale=0.5)
        self.make("places", problem.length, h, scale=0.5)
        for i in range(hparams.num_layers):
            self.build_layer(i)
        if not hparams.tie_weights:
            self.make("project", h, problem.vocab_size)
        self.make("project_bias", problem.vocab_size, scale=0.0)

    def make(self, name, *shape, scale=None):
        scale = shape[0] ** -0.5 if scale is None else scale
        value = self.rng.normal(0, 1, shape) * scale * self.hparams.init_scale
        self.params[name] = tape.Var(value.astype(np.float32))

    def drop(self, x, train):
        rate = self.hparams.dropout
        if not train or rate == 0.0:
            return x
        return x * ((self.rng.random(x.shape) >= rate) / (1 - rate)).astype(np.float32)

    def build_layer(self, i):
        raise NotImplementedError

    def layer(self, i, x):
        raise NotImplementedError

    def __call__(self, inputs, train=False):
        x = tape.lookup(self.params["symbols"], inputs) + self.params["places"]
        for i in range(self.hparams.num_layers):
            x = x + self.drop(self.layer(i, x), train)
        last = tape.transpose(self.params["symbols"]) if self.hparams.tie_weights else self.params["project"]
        return x @ last + self.params["project_bias"]


@registry.register_model
class WindowConv(SymbolModel):
    """Every place looks at its two neighbours."""

    def build_layer(self, i):
        h = self.hparams.hidden_size
        for side in ("left", "here", "right"):
            self.make(f"{i}/{side}", h, h)
        self.make(f"{i}/bias", h, scale=0.0)

    def layer(self, i, x):
        p = self.params
        y = (tape.shift(x, 1) @ p[f"{i}/left"]) + (x @ p[f"{i}/here"]) + (tape.shift(x, -1) @ p[f"{i}/right"])
        return tape.relu(y + p[f"{i}/bias"])


@registry.register_model
class GatedScan(SymbolModel):
    """A gated recurrence; the direction alternates from layer to layer."""

    def build_layer(self, i):
        h = self.hparams.hidden_size
        for name in ("gate", "new", "out"):
            self.make(f"{i}/{name}", h, h)
        self.make(f"{i}/gate_bias", h, scale=0.0)

    def layer(self, i, x):
        p = self.params
        gate = tape.sigmoid(x @ p[f"{i}/gate"] + p[f"{i}/gate_bias"])
        return tape.gated_scan(gate, tape.tanh(x @ p[f"{i}/new"]), reverse=i % 2 == 1) @ p[f"{i}/out"]


@registry.register_model
class DotAttention(SymbolModel):
    """Single-head attention and a feed-forward layer."""

    def build_layer(self, i):
        h = self.hparams.hidden_size
        for name in ("query", "key", "value", "out"):
            self.make(f"{i}/{name}", h, h)

    def layer(self, i, x):
        p = self.params
        scores = (x @ p[f"{i}/query"]) @ tape.transpose(x @ p[f"{i}/key"])
        mixed = tape.softmax(scores * self.hparams.hidden_size ** -0.5) @ (x @ p[f"{i}/value"])
        return tape.relu(mixed + x) @ p[f"{i}/out"]


@registry.register_model("place_mixer")
class MlpMixer(SymbolModel):
    """Mixes places by one learnt matrix, then channels by another."""

    def build_layer(self, i):
        n, h = self.problem.length, self.hparams.hidden_size
        self.make(f"{i}/places", n, n)
        self.make(f"{i}/channels", h, h)

    def layer(self, i, x):
        mixed = tape.transpose(tape.transpose(x) @ self.params[f"{i}/places"])
        return tape.relu(mixed) @ self.params[f"{i}/channels"]
