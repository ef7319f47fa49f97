"""A reverse-mode tape for dense matrices with a few sparse operations.

Every operation returns a new Tensor that remembers how to push its gradient
back to its parents; `Tensor.backward` walks the tape in reverse.
"""
import numpy as np


def _unbroadcast(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(axis=0)
    for axis, size in enumerate(shape):
        if size == 1 and grad.shape[axis] != 1:
            grad = grad.sum(axis=axis, keepdims=True)
    return grad


class Tensor:
    __slots__ = ("data", "grad", "needs_grad", "_parents", "_push")

    def __init__(self, data, needs_grad=False, parents=(), push=None):
        self.data = np.asarray(data, dtype=np.float64)
        self.grad = None
        self._parents = tuple(p for p in parents if p.needs_grad)
        self.needs_grad = needs_grad or bool(self._parents)
        self._push = push if self._parents else None

    @property
    def shape(self):
        return self.data.shape

    def _accumulate(self, grad):
        if self.needs_grad:
            self.grad = grad if self.grad is None else self.grad + grad

    def backward(self):
        order, seen = [], set()
        stack = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
                continue
            if id(node) in seen:
                continue
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((p, False) for p in node._parents)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            if node._push is not None and node.grad is not None:
                node._push(node.grad)

    def __add__(self, other):
        other = as_tensor(other)

        def push(g):
            self._accumulate(_unbroadcast(g, self.shape))
            other._accumulate(_unbroadcast(g, other.shape))

        return Tensor(self.data + other.data, parents=(self, other), push=push)

    def __mul__(self, other):
        other = as_tensor(other)

        def push(g):
            if self.needs_grad:
                self._accumulate(_unbroadcast(g * other.data, self.shape))
            if other.needs_grad:
                other._accumulate(_unbroadcast(g * self.data, other.shape))

        return Tensor(self.data * other.data, parents=(self, other), push=push)

    __radd__ = __add__
    __rmul__ = __mul__

    def __matmul__(self, other):
        def push(g):
            if self.needs_grad:
                self._accumulate(g @ other.data.T)
            if other.needs_grad:
                other._accumulate(self.data.T @ g)

        return Tensor(self.data @ other.data, parents=(self, other), push=push)

    def reshape(self, *shape):
        return Tensor(self.data.reshape(*shape), parents=(self,),
                      push=lambda g: self._accumulate(g.reshape(self.shape)))

    def sum(self, axis, keepdims=False):
        def push(g):
            if not keepdims:
                g = np.expand_dims(g, axis)
            self._accumulate(np.broadcast_to(g, self.shape))

        return Tensor(self.data.sum(axis=axis, keepdims=keepdims), parents=(self,), push=push)


def as_tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def spmm(matrix, x):
    """Sparse (constant) times dense; `matrix` is any scipy sparse matrix."""
    return Tensor(matrix @ x.data, parents=(x,),
                  push=lambda g: x._accumulate(matrix.T @ g))


def relu(x):
    mask = x.data > 0
    return Tensor(x.data * mask, parents=(x,), push=lambda g: x._accumulate(g * mask))


def leaky_relu(x, slope=0.2):
    scale = np.where(x.data > 0, 1.0, slope)
    return Tensor(x.data * scale, parents=(x,), push=lambda g: x._accumulate(g * scale))


def elu(x):
    out = np.where(x.data > 0, x.data, np.expm1(np.minimum(x.data, 0)))
    return Tensor(out, parents=(x,),
                  push=lambda g: x._accumulate(g * np.where(x.data > 0, 1.0, out + 1.0)))


def tanh(x):
    out = np.tanh(x.data)
    return Tensor(out, parents=(x,), push=lambda g: x._accumulate(g * (1.0 - out * out)))


def identity(x):
    return x


ACTIVATIONS = {"relu": relu, "elu": elu, "tanh": tanh, "identity": identity}


def take(x, index):
    """Rows of x; gradients of repeated rows add up."""
    def push(g):
        grad = np.zeros_like(x.data)
        np.add.at(grad, index, g)
        x._accumulate(grad)

    return Tensor(x.data[index], parents=(x,), push=push)


def rows(x, start, stop):
    """A block of consecutive rows."""
    def push(g):
        grad = np.zeros_like(x.data)
        grad[start:stop] = g
        x._accumulate(grad)

    return Tensor(x.data[start:stop], parents=(x,), push=push)


def gather(x, incidence):
    """Rows of x by a sparse one-hot incidence matrix (edges by nodes)."""
    flat = x.data.reshape(x.shape[0], -1)
    out = (incidence @ flat).reshape((incidence.shape[0],) + x.shape[1:])

    def push(g):
        x._accumulate((incidence.T @ g.reshape(g.shape[0], -1)).reshape(x.shape))

    return Tensor(out, parents=(x,), push=push)


def scatter_sum(x, incidence):
    """Sum of edge rows per node, the transpose of `gather`."""
    flat = x.data.reshape(x.shape[0], -1)
    out = (incidence.T @ flat).reshape((incidence.shape[1],) + x.shape[1:])

    def push(g):
        x._accumulate((incidence @ g.reshape(g.shape[0], -1)).reshape(x.shape))

    return Tensor(out, parents=(x,), push=push)


def edge_softmax(scores, indptr, owner):
    """Softmax over the edges that arrive at the same node.

    Edges are sorted by destination; `indptr` marks the first edge of every
    node and `owner` holds each edge's destination. No node may be without edge.
    """
    top = np.maximum.reduceat(scores.data, indptr[:-1], axis=0)
    weight = np.exp(scores.data - top[owner])
    out = weight / np.add.reduceat(weight, indptr[:-1], axis=0)[owner]

    def push(g):
        inner = np.add.reduceat(g * out, indptr[:-1], axis=0)[owner]
        scores._accumulate(out * (g - inner))

    return Tensor(out, parents=(scores,), push=push)


def segment_max(x, count):
    """Maximum over groups of `count` consecutive rows."""
    cube = x.data.reshape(-1, count, x.shape[1])
    arg = cube.argmax(axis=1)
    rows, cols = np.indices(arg.shape)

    def push(g):
        grad = np.zeros_like(cube)
        grad[rows, arg, cols] = g
        x._accumulate(grad.reshape(x.shape))

    return Tensor(cube[rows, arg, cols], parents=(x,), push=push)


def concat(parts):
    sizes = np.cumsum([p.shape[-1] for p in parts])[:-1]

    def push(g):
        for part, piece in zip(parts, np.split(g, sizes, axis=-1)):
            part._accumulate(piece)

    return Tensor(np.concatenate([p.data for p in parts], axis=-1), parents=parts, push=push)


def dropout(x, rate, rng, training=True):
    if not training or rate <= 0.0:
        return x
    keep = (rng.random(x.shape) >= rate) / (1.0 - rate)
    return Tensor(x.data * keep, parents=(x,), push=lambda g: x._accumulate(g * keep))


def cross_entropy(logits, labels):
    """Mean negative log likelihood of integer labels."""
    shifted = logits.data - logits.data.max(axis=1, keepdims=True)
    log_prob = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(labels))

    def push(g):
        grad = np.exp(log_prob)
        grad[rows, labels] -= 1.0
        logits._accumulate(g * grad / len(labels))

    return Tensor(-log_prob[rows, labels].mean(), parents=(logits,), push=push)
