import numpy as np

from model.base import Layer, softmax, tokens_of


class SlotMemoryAttention(Layer):
    """Tokens attend to a learned memory, not to each other: linear in the number of tokens."""

    def __init__(self, d_model, slots=64, seed=0):
        super().__init__(seed)
        if slots < 1:
            raise ValueError("slots must be positive")
        self.d_model = d_model
        self.weight("mk", d_model, slots)
        self.weight("mv", slots, d_model)

    def forward(self, x):
        tokens_of(x, self.d_model, "SlotMemoryAttention")
        attention = softmax(x @ self["mk"], axis=1)
        attention /= attention.sum(2, keepdims=True) + 1e-9
        return attention @ self["mv"]
