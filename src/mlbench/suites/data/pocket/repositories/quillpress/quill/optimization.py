"""Optimisers and learning-rate schedules."""

import math

import numpy as np

OPTIMIZERS = ("adam", "lion", "momentum", "adagrad")
SCHEDULES = ("linear", "cosine", "constant", "rsqrt")


def rate_at(step, total, peak, warmup=0, schedule="linear"):
    """Learning rate of step 0, 1, ..., total - 1."""
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, total - warmup)
    if schedule == "linear":
        return peak * (1.0 - done)
    if schedule == "cosine":
        return peak * 0.5 * (1.0 + math.cos(math.pi * done))
    if schedule == "rsqrt":
        return peak / math.sqrt(1.0 + step - warmup)
    if schedule == "constant":
        return peak
    raise ValueError(f"unknown schedule {schedule!r}")


def clip(grads, limit):
    norm = math.sqrt(sum(float((g * g).sum()) for g in grads.values()))
    if limit and norm > limit:
        for g in grads.values():
            g *= limit / norm
    return norm


class Optimizer:
    def __init__(self, name="adam", weight_decay=0.0):
        if name not in OPTIMIZERS:
            raise ValueError(f"unknown optimizer {name!r}")
        self.name, self.weight_decay = name, weight_decay
        self.first, self.second, self.count = {}, {}, 0

    def step(self, params, grads, rate):
        self.count += 1
        for key, g in grads.items():
            p = params[key]
            m = self.first.setdefault(key, np.zeros_like(p))
            s = self.second.setdefault(key, np.zeros_like(p))
            if self.name == "adam":
                m += 0.1 * (g - m)
                s += 0.01 * (g * g - s)
                change = (m / (1 - 0.9 ** self.count)) / (np.sqrt(s / (1 - 0.99 ** self.count)) + 1e-6)
            elif self.name == "lion":
                change = 0.1 * np.sign(0.9 * m + 0.1 * g)
                m += 0.01 * (g - m)
            elif self.name == "momentum":
                m *= 0.9
                m += g
                change = m
            else:
                s += g * g
                change = g / (np.sqrt(s) + 1e-6)
            p -= (rate * (change + self.weight_decay * p)).astype(p.dtype)
