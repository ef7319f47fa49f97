"""3-D convolutions with their gradients. Arrays are (n, depth, height, width, channels)."""
import numpy as np


class Conv3d:
    def __init__(self, rng, inputs, outputs, kernel=(3, 3, 3), dilation=1):
        self.kernel, self.dilation = kernel, dilation
        fan = inputs * int(np.prod(kernel))
        self.w = rng.normal(scale=np.sqrt(2 / fan), size=(fan, outputs)).astype(np.float32)
        self.b = np.zeros(outputs, np.float32)
        self.gw = self.gb = None

    def _windows(self):
        for offset in np.ndindex(*self.kernel):
            yield tuple(slice(o * self.dilation, o * self.dilation + n) for o, n in zip(offset, self.shape[1:4]))

    def forward(self, x):
        self.shape = x.shape
        pad = [(k // 2) * self.dilation for k in self.kernel]
        self.padded = np.pad(x, [(0, 0), *((p, p) for p in pad), (0, 0)])
        columns = np.concatenate([self.padded[(slice(None), *w)] for w in self._windows()], -1)
        self.columns = columns.reshape(-1, columns.shape[-1])
        return (self.columns @ self.w + self.b).reshape(*x.shape[:4], -1)

    def backward(self, d):
        flat = d.reshape(-1, d.shape[-1])
        self.gw, self.gb = self.columns.T @ flat, flat.sum(0)
        back = (flat @ self.w.T).reshape(*self.shape[:4], -1)
        out, c = np.zeros_like(self.padded), self.shape[-1]
        for i, window in enumerate(self._windows()):
            out[(slice(None), *window)] += back[..., i * c:(i + 1) * c]
        inner = tuple(slice((k // 2) * self.dilation, (k // 2) * self.dilation + n)
                      for k, n in zip(self.kernel, self.shape[1:4]))
        return out[(slice(None), *inner)]


class LeakyRelu:
    def forward(self, x):
        self.slope = np.where(x > 0, np.float32(1), np.float32(0.1))
        return x * self.slope

    def backward(self, d):
        return d * self.slope


class Residual:
    """x + body(x)"""

    def __init__(self, *body):
        self.body = body

    def forward(self, x):
        y = x
        for layer in self.body:
            y = layer.forward(y)
        return x + y

    def backward(self, d):
        e = d
        for layer in reversed(self.body):
            e = layer.backward(e)
        return d + e
