"""Losses on logits; each returns (value, gradient with respect to the logits)."""
import numpy as np

LOSSES = ("dice", "bce", "tversky", "focal")


def sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


def bce(z, y):
    p = sigmoid(z)
    value = np.mean(np.logaddexp(0, z) - y * z)
    return float(value), (p - y) / y.size


def tversky(z, y, alpha=0.3, beta=0.7):
    p = sigmoid(z)
    axes = (1, 2, 3, 4)
    hit = (p * y).sum(axes, keepdims=True)
    top = hit + 1
    bottom = hit + alpha * (p * (1 - y)).sum(axes, keepdims=True) + beta * ((1 - p) * y).sum(axes, keepdims=True) + 1
    slope = y + alpha * (1 - y) - beta * y
    gradient = -(y * bottom - top * slope) / bottom ** 2
    return float(np.mean(1 - top / bottom)), gradient * p * (1 - p) / len(z)


def dice(z, y):
    return tversky(z, y, 0.5, 0.5)


def focal(z, y, gamma=2.0):
    p = np.clip(sigmoid(z), 1e-6, 1 - 1e-6)
    q = np.where(y > 0, p, 1 - p)
    value = -((1 - q) ** gamma) * np.log(q)
    dq = gamma * (1 - q) ** (gamma - 1) * np.log(q) - (1 - q) ** gamma / q
    return float(value.mean()), np.where(y > 0, dq, -dq) * p * (1 - p) / y.size


def get(name):
    if name not in LOSSES:
        raise ValueError(f"unknown loss {name!r}; there are {', '.join(LOSSES)}")
    return {"dice": dice, "bce": bce, "tversky": tversky, "focal": focal}[name]
