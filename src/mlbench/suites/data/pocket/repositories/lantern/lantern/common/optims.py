"""Optimizers and learning-rate schedules."""

import math

import numpy as np

from lantern.common.registry import registry


@registry.register_optimizer("sgd")
class SGD:
    """Momentum 0.9."""

    def __init__(self, params, weight_decay=0.0):
        self.params, self.weight_decay = params, weight_decay
        self.velocity = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads, lr):
        for k, g in grads.items():
            self.velocity[k] = 0.9 * self.velocity[k] + g + self.weight_decay * self.params[k]
            self.params[k] -= lr * self.velocity[k]


@registry.register_optimizer("nesterov")
class Nesterov(SGD):
    """SGD that looks ahead along its momentum."""

    def step(self, grads, lr):
        for k, g in grads.items():
            g = g + self.weight_decay * self.params[k]
            self.velocity[k] = 0.9 * self.velocity[k] + g
            self.params[k] -= lr * (g + 0.9 * self.velocity[k])


@registry.register_optimizer("adamw")
class AdamW:
    def __init__(self, params, weight_decay=0.0):
        self.params, self.weight_decay, self.t = params, weight_decay, 0
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.s = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads, lr):
        self.t += 1
        c1, c2 = 1 - 0.9**self.t, 1 - 0.98**self.t
        for k, g in grads.items():
            self.m[k] += 0.1 * (g - self.m[k])
            self.s[k] += 0.02 * (g * g - self.s[k])
            update = (self.m[k] / c1) / (np.sqrt(self.s[k] / c2) + 1e-8)
            self.params[k] -= lr * (update + self.weight_decay * self.params[k])


@registry.register_optimizer("rmsprop")
class RMSprop:
    def __init__(self, params, weight_decay=0.0):
        self.params, self.weight_decay = params, weight_decay
        self.s = {k: np.zeros_like(v) for k, v in params.items()}

    def step(self, grads, lr):
        for k, g in grads.items():
            g = g + self.weight_decay * self.params[k]
            self.s[k] = 0.95 * self.s[k] + 0.05 * g * g
            self.params[k] -= lr * g / (np.sqrt(self.s[k]) + 1e-6)


@registry.register_optimizer("adagrad")
class Adagrad:
    def __init__(self, params, weight_decay=0.0):
        self.params, self.weight_decay = params, weight_decay
        self.s = {k: np.full_like(v, 1e-6) for k, v in params.items()}

    def step(self, grads, lr):
        for k, g in grads.items():
            g = g + self.weight_decay * self.params[k]
            self.s[k] += g * g
            self.params[k] -= lr * g / np.sqrt(self.s[k])


@registry.register_lr_sched("constant")
def constant(step, total, init_lr, min_lr):
    return init_lr


@registry.register_lr_sched("warmup_cosine")
def warmup_cosine(step, total, init_lr, min_lr):
    return min_lr + (init_lr - min_lr) * 0.5 * (1 + math.cos(math.pi * step / max(1, total)))


@registry.register_lr_sched("warmup_step")
def warmup_step(step, total, init_lr, min_lr):
    """A third of the rate after each third of the run."""
    return max(min_lr, init_lr / 3 ** (3 * step // max(1, total)))


@registry.register_lr_sched("linear")
def linear(step, total, init_lr, min_lr):
    return min_lr + (init_lr - min_lr) * (1 - step / max(1, total))


@registry.register_lr_sched("inv_sqrt")
def inv_sqrt(step, total, init_lr, min_lr):
    return max(min_lr, init_lr / math.sqrt(1 + step / 10))


def learning_rate(run, step, total):
    """The schedule's value, with a linear warm-up in front (not for `constant`)."""
    lr = registry.get("lr_sched", run["lr_sched"])(step, total, run["init_lr"], run["min_lr"])
    if run["lr_sched"] != "constant" and step < run["warmup_steps"]:
        lr *= (step + 1) / run["warmup_steps"]
    return lr
