"""Reverse-mode differentiation, just as much as the models need."""

import numpy as np


class Var:
    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = value, parents, None

    @property
    def shape(self):
        return self.value.shape

    def __add__(self, other):
        return add(self, other)

    def __mul__(self, other):
        return mul(self, other)

    def __matmul__(self, other):
        return matmul(self, other)

    def backward(self, seed):
        order, seen = [], set()

        def visit(var):
            if id(var) not in seen:
                seen.add(id(var))
                for parent, _ in var.parents:
                    visit(parent)
                order.append(var)
        visit(self)
        self.grad = seed
        for var in reversed(order):
            for parent, push in var.parents:
                g = push(var.grad)
                parent.grad = g if parent.grad is None else parent.grad + g


def _lift(x):
    return x if isinstance(x, Var) else Var(np.asarray(x, np.float32))


def _fit(g, shape):
    """Sums a gradient over the axes that were broadcast."""
    if g.shape == shape:
        return g
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1), keepdims=True)


def add(a, b):
    a, b = _lift(a), _lift(b)
    return Var(a.value + b.value, ((a, lambda g: _fit(g, a.shape)), (b, lambda g: _fit(g, b.shape))))


def mul(a, b):
    a, b = _lift(a), _lift(b)
    return Var(a.value * b.value, ((a, lambda g: _fit(g * b.value, a.shape)), (b, lambda g: _fit(g * a.value, b.shape))))


def matmul(a, b):
    """a: (..., n, k); b: (k, m) or (..., k, m)."""
    def left(g):
        return g @ np.swapaxes(b.value, -1, -2)

    def right(g):
        if b.value.ndim == 2:
            return a.value.reshape(-1, a.shape[-1]).T @ g.reshape(-1, g.shape[-1])
        return np.swapaxes(a.value, -1, -2) @ g
    return Var(a.value @ b.value, ((a, left), (b, right)))


def transpose(a):
    """Swaps the last two axes."""
    return Var(np.swapaxes(a.value, -1, -2), ((a, lambda g: np.swapaxes(g, -1, -2)),))


def tanh(a):
    y = np.tanh(a.value)
    return Var(y, ((a, lambda g: g * (1 - y * y)),))


def sigmoid(a):
    y = 0.5 * (1 + np.tanh(0.5 * a.value))
    return Var(y, ((a, lambda g: g * y * (1 - y)),))


def relu(a):
    on = a.value > 0
    return Var(a.value * on, ((a, lambda g: g * on),))


def softmax(a):
    y = np.exp(a.value - a.value.max(axis=-1, keepdims=True))
    y /= y.sum(axis=-1, keepdims=True)
    return Var(y, ((a, lambda g: y * (g - (g * y).sum(axis=-1, keepdims=True))),))


def lookup(table, ids):
    def back(g):
        out = np.zeros_like(table.value)
        np.add.at(out, ids, g)
        return out
    return Var(table.value[ids], ((table, back),))


def shift(a, by):
    """Moves a sequence (batch, time, channels) by some places; zeros come in."""
    def move(x, n):
        out = np.zeros_like(x)
        if n > 0:
            out[:, n:] = x[:, :-n]
        else:
            out[:, :n] = x[:, -n:]
        return out
    return Var(move(a.value, by), ((a, lambda g: move(g, -by)),))


def gated_scan(gate, new, reverse=False):
    """h[t] = gate[t] * h[t-1] + (1 - gate[t]) * new[t] along axis 1."""
    f, c = gate.value, new.value
    steps = range(f.shape[1])[::-1] if reverse else range(f.shape[1])
    h, before, last = np.zeros_like(f), np.zeros_like(f), np.zeros_like(f[:, 0])
    for t in steps:
        before[:, t] = last
        last = h[:, t] = f[:, t] * last + (1 - f[:, t]) * c[:, t]
    memo = {}

    def run(g):
        if memo.get("of") is not g:
            total, carry = np.zeros_like(g), np.zeros_like(g[:, 0])
            for t in steps[::-1]:
                total[:, t] = g[:, t] + carry
                carry = total[:, t] * f[:, t]
            memo.update(of=g, total=total)
        return memo["total"]
    return Var(h, ((gate, lambda g: run(g) * (before - c)), (new, lambda g: run(g) * (1 - f))))
