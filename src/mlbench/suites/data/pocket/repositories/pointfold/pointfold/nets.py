"""Layers with hand-written gradients, pooling, optimisers, checkpoints."""
import json
import os

import numpy as np

POOLINGS = ("max", "avg", "sum", "lse")
OPTIMIZERS = ("Adam", "SGD", "RMSprop")


class Linear:
    def __init__(self, fan_in, fan_out, rng, scale=1.0):
        self.w = rng.normal(size=(fan_in, fan_out)) * np.sqrt(2.0 / fan_in) * scale
        self.b = np.zeros(fan_out)

    def forward(self, x):
        self.x = x
        return x @ self.w + self.b

    def backward(self, g):
        flat = g.reshape(-1, g.shape[-1])
        self.gw = self.x.reshape(-1, self.x.shape[-1]).T @ flat
        self.gb = flat.sum(axis=0)
        return g @ self.w.T

    def pairs(self):
        return [("w", "gw"), ("b", "gb")]


class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return x * self.mask

    def backward(self, g):
        return g * self.mask

    def pairs(self):
        return []


class Chain:
    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, g):
        for layer in reversed(self.layers):
            g = layer.backward(g)
        return g

    def slots(self):
        found = []
        for layer in self.layers:
            if isinstance(layer, Chain):
                found += layer.slots()
            else:
                found += [(layer, value, grad) for value, grad in layer.pairs()]
        return found


def mlp(widths, rng, last_relu=True):
    layers = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers.append(Linear(a, b, rng))
        if last_relu or i + 2 < len(widths):
            layers.append(ReLU())
    return Chain(*layers)


class Pool:
    """Over the points, axis 1 of (batch, points, channels)."""

    def __init__(self, kind):
        if kind not in POOLINGS:
            raise ValueError(f"unknown pooling {kind!r}")
        self.kind = kind

    def forward(self, x):
        self.shape = x.shape
        if self.kind == "max":
            self.arg = x.argmax(axis=1)
            return np.take_along_axis(x, self.arg[:, None], axis=1)[:, 0]
        if self.kind == "lse":
            top = x.max(axis=1, keepdims=True)
            weight = np.exp(x - top)
            total = weight.sum(axis=1, keepdims=True)
            self.weight = weight / total
            return (top + np.log(total / x.shape[1]))[:, 0]
        return x.mean(axis=1) if self.kind == "avg" else x.sum(axis=1) / 8.0

    def backward(self, g):
        if self.kind == "max":
            out = np.zeros(self.shape)
            np.put_along_axis(out, self.arg[:, None], g[:, None], axis=1)
            return out
        if self.kind == "lse":
            return self.weight * g[:, None]
        scale = 1.0 / self.shape[1] if self.kind == "avg" else 1.0 / 8.0
        return np.broadcast_to(g[:, None] * scale, self.shape)

    def pairs(self):
        return []


def softmax_loss(logits, labels):
    """Mean cross entropy over all but the last axis, and its gradient."""
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    flat, y = log_p.reshape(-1, log_p.shape[-1]), labels.ravel()
    rows = np.arange(len(y))
    grad = np.exp(flat)
    grad[rows, y] -= 1
    return float(-flat[rows, y].mean()), (grad / len(y)).reshape(logits.shape)


class Optimizer:
    def __init__(self, kind, slots, lr):
        if kind not in OPTIMIZERS:
            raise ValueError(f"unknown optimizer {kind!r}")
        self.kind, self.slots, self.lr, self.steps = kind, slots, lr, 0
        self.m = [np.zeros_like(getattr(o, v)) for o, v, _ in slots]
        self.s = [np.zeros_like(m) for m in self.m]

    def step(self):
        self.steps += 1
        for (owner, value, grad), m, s in zip(self.slots, self.m, self.s):
            g, w = getattr(owner, grad), getattr(owner, value)
            if self.kind == "SGD":
                m *= 0.9
                m += g
                w -= self.lr * m
            elif self.kind == "RMSprop":
                s += 0.1 * (g * g - s)
                w -= self.lr * g / (np.sqrt(s) + 1e-6)
            else:
                m += 0.1 * (g - m)
                s += 0.01 * (g * g - s)
                fix = np.sqrt(1 - 0.99 ** self.steps) / (1 - 0.9 ** self.steps)
                w -= self.lr * fix * m / (np.sqrt(s) + 1e-8)


def save(path, slots, meta):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    weights = [np.round(getattr(o, v), 4).tolist() for o, v, _ in slots]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"meta": meta, "weights": weights}, file, separators=(",", ":"))


def read(path):
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    return content["meta"], content["weights"]


def restore(slots, weights):
    for (owner, value, _), saved in zip(slots, weights, strict=True):
        saved = np.array(saved)
        if saved.shape != getattr(owner, value).shape:
            raise ValueError("the checkpoint does not fit to the network")
        setattr(owner, value, saved)
