"""Optimisers, the Dice score and the training loop."""
import numpy as np

from . import losses

OPTIMIZERS = ("sgd", "momentum", "rmsprop", "adam")


class Optimizer:
    def __init__(self, name, lr):
        if name not in OPTIMIZERS:
            raise ValueError(f"unknown optimizer {name!r}; there are {', '.join(OPTIMIZERS)}")
        self.name, self.lr, self.t, self.state = name, lr, 0, {}

    def step(self, net):
        self.t += 1
        for i, conv in enumerate(net.convolutions):
            for key, p, g in (("w", conv.w, conv.gw), ("b", conv.b, conv.gb)):
                m, v = self.state.get((i, key), (np.zeros_like(p), np.zeros_like(p)))
                if self.name == "sgd":
                    move = g
                elif self.name == "momentum":
                    m = move = 0.9 * m + g
                elif self.name == "rmsprop":
                    v = 0.9 * v + 0.1 * g * g
                    move = g / (np.sqrt(v) + 1e-7)
                else:
                    m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
                    move = m / (1 - 0.9 ** self.t) / (np.sqrt(v / (1 - 0.99 ** self.t)) + 1e-7)
                self.state[i, key] = m, v
                p -= np.float32(self.lr) * move.astype(np.float32)


def dice_score(probability, mask, threshold=0.5):
    guess = probability > threshold
    total = guess.sum() + mask.sum()
    return float(2 * (guess * mask).sum() / total) if total else 1.0


def augment(x, y, rng):
    for axis in (1, 2, 3):
        if rng.random() < 0.5:
            x, y = np.flip(x, axis), np.flip(y, axis)
    return x * rng.uniform(0.9, 1.1, size=(len(x), 1, 1, 1, 1)).astype(np.float32), y


class Trainer:
    def __init__(self, net, loss="dice", optimizer="adam", lr=0.02, batch_size=2, augment=False, seed=0):
        self.net, self.loss, self.optimizer = net, losses.get(loss), Optimizer(optimizer, lr)
        self.batch_size, self.augment = batch_size, augment
        self.rng = np.random.default_rng(seed)

    def fit(self, data, epochs=4, log=print):
        images, masks = data
        for epoch in range(1, epochs + 1):
            order, values = self.rng.permutation(len(images)), []
            for start in range(0, len(order), self.batch_size):
                rows = order[start:start + self.batch_size]
                x, y = images[rows], masks[rows]
                if self.augment:
                    x, y = augment(x, y, self.rng)
                value, gradient = self.loss(self.net.forward(x), y)
                self.net.backward(gradient.astype(np.float32))
                self.optimizer.step(self.net)
                values.append(value)
            if log:
                log(f"epoch {epoch}/{epochs}  loss {np.mean(values):.4f}")
        return self

    def evaluate(self, data, threshold=0.5):
        """Mean Dice score over the volumes."""
        images, masks = data
        scores = [dice_score(self.net.predict(x[None])[0], y, threshold) for x, y in zip(images, masks)]
        return float(np.mean(scores))
