"""Optimisers and the full-graph training loop."""
from dataclasses import dataclass, field

import numpy as np

from lichen import tape


class Adam:
    def __init__(self, parameters, lr=0.01, weight_decay=0.0, betas=(0.9, 0.999)):
        self.parameters = list(parameters)
        self.lr, self.weight_decay, self.betas = lr, weight_decay, betas
        self.step_count = 0
        self.first = [np.zeros_like(p.data) for p in self.parameters]
        self.second = [np.zeros_like(p.data) for p in self.parameters]

    def step(self):
        self.step_count += 1
        b1, b2 = self.betas
        rate = self.lr * np.sqrt(1 - b2 ** self.step_count) / (1 - b1 ** self.step_count)
        for p, m, v in zip(self.parameters, self.first, self.second):
            if p.grad is None:
                continue
            g = p.grad + self.weight_decay * p.data
            m += (1 - b1) * (g - m)
            v += (1 - b2) * (g * g - v)
            p.data = p.data - rate * m / (np.sqrt(v) + 1e-8)
            p.grad = None


def accuracy(logits, labels):
    return float(np.mean(logits.argmax(axis=1) == labels))


@dataclass
class History:
    losses: list = field(default_factory=list)
    val_accuracy: list = field(default_factory=list)
    test_accuracy: list = field(default_factory=list)

    @property
    def best_epoch(self):
        """First epoch (counted from 1) with the best validation accuracy."""
        return int(np.argmax(self.val_accuracy)) + 1

    @property
    def best_val(self):
        return self.val_accuracy[self.best_epoch - 1]

    @property
    def test_at_best(self):
        return self.test_accuracy[self.best_epoch - 1]


class Trainer:
    """Adam on the training nodes; validation and test after every epoch."""

    def __init__(self, model, lr=0.01, weight_decay=5e-4, log_every=0, out=print):
        self.model = model
        self.optimizer = Adam(model.parameters(), lr, weight_decay)
        self.log_every, self.out = log_every, out

    def fit(self, graph, epochs=30):
        history = History()
        for epoch in range(1, epochs + 1):
            logits = self.model(graph, training=True)
            loss = tape.cross_entropy(tape.take(logits, graph.train), graph.labels[graph.train])
            loss.backward()
            self.optimizer.step()
            history.losses.append(float(loss.data))
            scores = self.model(graph).data
            for name, log in (("val", history.val_accuracy), ("test", history.test_accuracy)):
                nodes = getattr(graph, name)
                log.append(accuracy(scores[nodes], graph.labels[nodes]))
            if self.log_every and epoch % self.log_every == 0:
                self.out(f"epoch {epoch:3d}  loss {loss.data:.4f}  "
                         f"val {history.val_accuracy[-1]:.3f}  test {history.test_accuracy[-1]:.3f}")
        return history

    def evaluate(self, graph, split="test"):
        nodes = getattr(graph, split)
        return accuracy(self.model(graph).data[nodes], graph.labels[nodes])
