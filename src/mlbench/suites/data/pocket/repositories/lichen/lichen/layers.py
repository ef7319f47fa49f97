"""Graph convolutions on top of the tape."""
import numpy as np

from lichen import tape
from lichen.graph import incidence
from lichen.tape import Tensor


def glorot(rng, fan_in, fan_out, shape=None):
    bound = np.sqrt(6.0 / (fan_in + fan_out))
    return Tensor(rng.uniform(-bound, bound, shape or (fan_in, fan_out)), needs_grad=True)


def zeros(*shape):
    return Tensor(np.zeros(shape), needs_grad=True)


class Layer:
    def parameters(self):
        """All trainable tensors below this object, in order of definition."""
        found = []
        for value in vars(self).values():
            for item in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(item, Tensor) and item.needs_grad:
                    found.append(item)
                elif isinstance(item, Layer):
                    found.extend(item.parameters())
        return found


class Dense(Layer):
    def __init__(self, fan_in, fan_out, rng):
        self.weight = glorot(rng, fan_in, fan_out)
        self.bias = zeros(fan_out)

    def __call__(self, x):
        return x @ self.weight + self.bias


class ARMAConv(Layer):
    """Parallel stacks of recursive skip convolutions; their mean is the output."""

    def __init__(self, fan_in, fan_out, rng, num_stacks=1, num_layers=1,
                 shared_weights=False, activation="relu", dropout=0.0):
        self.num_stacks, self.num_layers = num_stacks, num_layers
        self.shared, self.dropout, self.rng = shared_weights, dropout, rng
        self.activation = tape.ACTIVATIONS[activation]
        deep = 1 if shared_weights else max(num_layers - 1, 0)
        self.first = [glorot(rng, fan_in, fan_out) for _ in range(num_stacks)]
        self.inner = [glorot(rng, fan_out, fan_out) for _ in range(num_stacks * deep)]
        self.skip = [glorot(rng, fan_in, fan_out)
                     for _ in range(num_stacks * (1 if shared_weights else num_layers))]
        self.bias = zeros(fan_out)

    def _weights(self, stack, step):
        if self.shared:
            return self.inner[stack] if step else self.first[stack], self.skip[stack]
        inner = self.inner[stack * (self.num_layers - 1) + step - 1] if step else self.first[stack]
        return inner, self.skip[stack * self.num_layers + step]

    def __call__(self, prop, x, training=False):
        total = None
        for stack in range(self.num_stacks):
            state = x
            for step in range(self.num_layers):
                weight, skip = self._weights(stack, step)
                dropped = tape.dropout(x, self.dropout, self.rng, training)
                state = tape.spmm(prop, state @ weight) + dropped @ skip + self.bias
                state = self.activation(state)
            total = state if total is None else total + state
        return total * (1.0 / self.num_stacks)


class AttentionConv(Layer):
    """Multi-head additive attention over the incoming edges."""

    def __init__(self, fan_in, fan_out, heads, rng, slope=0.2, attn_drop=0.0,
                 residual=False, merge="concat"):
        self.heads, self.fan_out, self.slope = heads, fan_out, slope
        self.attn_drop, self.merge, self.rng = attn_drop, merge, rng
        self.weight = glorot(rng, fan_in, heads * fan_out)
        self.left = glorot(rng, fan_out, 1, (1, heads, fan_out))
        self.right = glorot(rng, fan_out, 1, (1, heads, fan_out))
        self.residual = glorot(rng, fan_in, heads * fan_out) if residual else None
        self.bias = zeros(heads * fan_out if merge == "concat" else fan_out)

    def __call__(self, edges, x, training=False):
        value = (x @ self.weight).reshape(-1, self.heads, self.fan_out)
        score = tape.gather((value * self.left).sum(2), edges.src) \
            + tape.gather((value * self.right).sum(2), edges.dst)
        alpha = tape.edge_softmax(tape.leaky_relu(score, self.slope), edges.indptr, edges.owner)
        alpha = tape.dropout(alpha, self.attn_drop, self.rng, training)
        message = tape.gather(value, edges.src) * alpha.reshape(-1, self.heads, 1)
        out = tape.scatter_sum(message, edges.dst)
        if self.residual is not None:
            out = out + (x @ self.residual).reshape(-1, self.heads, self.fan_out)
        if self.merge == "concat":
            out = out.reshape(-1, self.heads * self.fan_out)
        else:
            out = out.sum(1) * (1.0 / self.heads)
        return out + self.bias


class EdgeView:
    """Edge incidences of a graph, prepared once for AttentionConv."""

    def __init__(self, graph):
        source, self.owner, self.indptr = graph.edge_index()
        self.src = incidence(source, graph.num_nodes)
        self.dst = incidence(self.owner, graph.num_nodes)


class SampleConv(Layer):
    """Own features and an aggregate of sampled neighbours, each with a weight."""

    def __init__(self, fan_in, fan_out, aggregator, rng):
        self.aggregator = aggregator
        self.own = Dense(fan_in, fan_out, rng)
        self.pool = Dense(fan_in, fan_in, rng) if aggregator == "pool" else None
        self.near = glorot(rng, fan_in, fan_out)

    def __call__(self, own, neighbours, count):
        if self.aggregator == "pool":
            merged = tape.segment_max(tape.relu(self.pool(neighbours)), count)
        elif self.aggregator == "max":
            merged = tape.segment_max(neighbours, count)
        else:
            merged = neighbours.reshape(-1, count, neighbours.shape[1]).sum(1)
            if self.aggregator == "mean":
                merged = merged * (1.0 / count)
        return self.own(own) + merged @ self.near
