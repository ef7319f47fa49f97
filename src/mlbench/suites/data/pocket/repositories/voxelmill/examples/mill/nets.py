"""Networks: from an image to one logit per voxel."""
import json

import numpy as np

from .layers import Conv3d, LeakyRelu, Residual

NETS = ("MILLNET", "RESMILL", "AXIALNET", "DILNET")


class Net:
    def __init__(self, name, channels, width, seed=0):
        rng = np.random.default_rng(seed)
        self.name, self.channels, self.width = name, channels, width
        conv = lambda i, o, **kw: Conv3d(rng, i, o, **kw)  # noqa: E731
        if name == "MILLNET":
            body = [conv(channels, width), LeakyRelu(), conv(width, width), LeakyRelu()]
        elif name == "RESMILL":
            body = [conv(channels, width), LeakyRelu(), Residual(conv(width, width), LeakyRelu())]
        elif name == "AXIALNET":
            body = [conv(channels, width, kernel=(3, 1, 1)), conv(width, width, kernel=(1, 3, 1)),
                    conv(width, width, kernel=(1, 1, 3)), LeakyRelu(), conv(width, width, kernel=(3, 1, 1)),
                    conv(width, width, kernel=(1, 3, 1)), LeakyRelu()]
        elif name == "DILNET":
            body = [conv(channels, width), LeakyRelu(), conv(width, width, dilation=2), LeakyRelu()]
        else:
            raise ValueError(f"unknown network {name!r}; there are {', '.join(NETS)}")
        self.layers = [*body, conv(width, 1, kernel=(1, 1, 1))]

    @property
    def convolutions(self):
        for layer in self.layers:
            for part in getattr(layer, "body", (layer,)):
                if isinstance(part, Conv3d):
                    yield part

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, d):
        for layer in reversed(self.layers):
            d = layer.backward(d)

    def predict(self, x):
        return 1 / (1 + np.exp(-np.clip(self.forward(x), -30, 30)))

    def size(self):
        return sum(c.w.size + c.b.size for c in self.convolutions)

    def save(self, path):
        weights = [[np.round(c.w, 4).tolist(), np.round(c.b, 4).tolist()] for c in self.convolutions]
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"net": self.name, "channels": self.channels, "width": self.width, "weights": weights})
        path.write_text(text + "\n", encoding="utf-8")


def build(name, channels=1, width=4, seed=0):
    return Net(name, channels, width, seed)


def load(path):
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        net = build(state["net"], state["channels"], state["width"])
        for conv, (w, b) in zip(net.convolutions, state["weights"], strict=True):
            conv.w, conv.b = np.array(w, np.float32), np.array(b, np.float32)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: not a checkpoint of voxelmill") from error
    return net
