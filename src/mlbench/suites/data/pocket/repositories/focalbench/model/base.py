"""What all layers share. Layers compute forward passes; weights are drawn from a seed."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


class Layer:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.params = {}

    def weight(self, name, *shape, fan_in=None):
        fan_in = fan_in or shape[0]
        self.params[name] = self.rng.standard_normal(shape) / np.sqrt(fan_in)
        return self.params[name]

    def zeros(self, name, *shape):
        self.params[name] = np.zeros(shape)
        return self.params[name]

    def num_parameters(self):
        return sum(p.size for p in self.params.values())

    def astype(self, dtype):
        for name, value in self.params.items():
            self.params[name] = value.astype(dtype)
        return self

    def __getitem__(self, name):
        return self.params[name]

    def __call__(self, *inputs):
        return self.forward(*inputs)


def softmax(x, axis=-1):
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def relu(x):
    return np.maximum(x, 0)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def layer_norm(x, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps)


def tokens_of(x, d_model, name):
    if x.ndim != 3 or x.shape[2] != d_model:
        raise ValueError(f"{name} wants (batch, tokens, {d_model}), got {x.shape}")
    return x


def maps_of(x, channel, name):
    if x.ndim != 4 or (channel is not None and x.shape[1] != channel):
        raise ValueError(f"{name} wants (batch, {channel or 'channels'}, height, width), got {x.shape}")
    return x


def divides(part, whole, what):
    if part < 1 or whole % part:
        raise ValueError(f"{what}: {part} does not divide {whole}")


def windows(x, kernel, stride=1, padding=0):
    """(b, c, h, w) -> view (b, c, h', w', kernel, kernel)."""
    if padding:
        x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    return sliding_window_view(x, (kernel, kernel), axis=(2, 3))[:, :, ::stride, ::stride]


def conv2d(x, weight, stride=1, padding=0, groups=1):
    """weight: (out, in / groups, k, k)."""
    out, cin, k, _ = weight.shape
    w = windows(x, k, stride, padding)
    b, _, h, wd = w.shape[:4]
    result = np.empty((b, out, h, wd), x.dtype)
    og = out // groups
    for g in range(groups):
        cols = w[:, g * cin : (g + 1) * cin].transpose(0, 2, 3, 1, 4, 5).reshape(b * h * wd, -1)
        block = cols @ weight[g * og : (g + 1) * og].reshape(og, -1).T
        result[:, g * og : (g + 1) * og] = block.reshape(b, h, wd, og).transpose(0, 3, 1, 2)
    return result
