"""Ready-made full-graph models for `lichen.Trainer`."""
import numpy as np

from lichen import tape
from lichen.layers import Dense, Layer


class PropagationNet(Layer):
    """A small perceptron whose scores are spread by personalised PageRank.

    hidden    width of the hidden layer
    hops      how many power iterations spread the scores
    teleport  chance to return to the own scores at every hop
    dropout   on the input and on the hidden layer
    norm      "sym" or "row", see Graph.normalized
    """

    def __init__(self, graph, hidden=32, hops=8, teleport=0.1, dropout=0.5, norm="sym", seed=0):
        if not 0.0 < teleport <= 1.0:
            raise ValueError("teleport must lie in (0, 1]")
        if hops < 1:
            raise ValueError("hops must be at least 1")
        self.rng = np.random.default_rng(seed)
        self.inner = Dense(graph.num_features, hidden, self.rng)
        self.outer = Dense(hidden, graph.num_classes, self.rng)
        self.hops, self.teleport, self.rate = hops, teleport, dropout
        self.prop = graph.normalized(norm)

    def __call__(self, graph, training=False):
        x = tape.dropout(tape.as_tensor(graph.features), self.rate, self.rng, training)
        x = tape.dropout(tape.relu(self.inner(x)), self.rate, self.rng, training)
        start = self.outer(x)
        state = start
        for _ in range(self.hops):
            state = tape.spmm(self.prop, state) * (1.0 - self.teleport) + start * self.teleport
        return state


class ConvNet(Layer):
    """Two plain graph convolutions, the usual baseline."""

    def __init__(self, graph, hidden=16, dropout=0.5, norm="sym", seed=0):
        self.rng = np.random.default_rng(seed)
        self.inner = Dense(graph.num_features, hidden, self.rng)
        self.outer = Dense(hidden, graph.num_classes, self.rng)
        self.rate = dropout
        self.prop = graph.normalized(norm)

    def __call__(self, graph, training=False):
        x = tape.dropout(tape.as_tensor(graph.features), self.rate, self.rng, training)
        x = tape.relu(tape.spmm(self.prop, self.inner(x)))
        x = tape.dropout(x, self.rate, self.rng, training)
        return tape.spmm(self.prop, self.outer(x))
