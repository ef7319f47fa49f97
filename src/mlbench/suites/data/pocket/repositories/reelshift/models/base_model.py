import numpy as np

from models.flow import warp
from models.losses import penalty
from models.nets import NETS, get_weights, set_weights

CLIP_NORM = 2.0


class BaseModel:
    """A frame-to-frame translator with history, trained by SGD with momentum.

    Subclasses say how many channels a source frame and an output frame have and how an output becomes an RGB frame.
    """

    source_channels = None
    output_channels = None

    def __init__(self, opt):
        self.opt = opt
        c_in = self.source_channels * (opt.history + 1) + (self.output_channels if opt.feedback else 0)
        rng = np.random.default_rng([opt.seed, 1])
        self.net = NETS[opt.net](c_in, self.output_channels, opt.maps, opt.kernel, rng)
        self.speed = {k: np.zeros_like(w) for k, w in get_weights(self.net).items()}

    # ---- inputs
    def stack(self, source, previous, n, t):
        """Network input for the frames (n[i], t[i]); before a clip starts its first frame is repeated."""
        parts = [source[n, np.maximum(t - back, 0)] for back in range(self.opt.history + 1)]
        if self.opt.feedback:
            parts.append(previous)
        return np.concatenate(parts, axis=-1)

    def teacher(self, target, n, t):
        return np.where((t > 0)[:, None, None, None], target[n, np.maximum(t - 1, 0)], 0.0)

    # ---- training
    def step(self, data, n, t, step_size):
        opt = self.opt
        before = None
        if opt.flow_weight > 0:
            s = np.maximum(t - 1, 0)
            before = self.net.forward(self.stack(data.source, self.teacher(data.target, n, s), n, s))
        out = self.net.forward(self.stack(data.source, self.teacher(data.target, n, t), n, t))
        frame_loss, grad = penalty(opt.penalty, out - data.target[n, t], opt.knee)
        flow_loss = 0.0
        if before is not None:
            # the warped earlier output counts as a constant
            d = (out - warp(before, data.flow[n, t])) * (t > 0)[:, None, None, None]
            flow_loss, flow_grad = penalty(opt.penalty, d, opt.knee)
            grad = grad + opt.flow_weight * flow_grad
        self.net.backward(grad)
        self.update(step_size)
        return frame_loss, flow_loss

    def update(self, step_size):
        layers = {k: v for k, v in self.net.layers.items() if not (self.opt.freeze_first and k == 'first')}
        grads = {'%s.%s' % (n, k): getattr(layer, 'd_' + k) for n, layer in layers.items() for k in ('weight', 'bias')}
        norm = np.sqrt(sum((g * g).sum() for g in grads.values()))
        scale = min(1.0, CLIP_NORM / (norm + 1e-12))
        for name, g in grads.items():
            layer, key = name.split('.')
            self.speed[name] = self.opt.momentum * self.speed[name] - step_size * scale * g
            setattr(layers[layer], key, getattr(layers[layer], key) + self.speed[name])

    # ---- inference
    def opening(self, target, rng):
        shape = target.shape[:1] + target.shape[2:]
        kind = self.opt.open_with
        if kind == 'real':
            return target[:, 0]
        if kind == 'noise':
            return self.neutral + 0.2 * rng.standard_normal(shape)
        return np.full(shape, {'black': self.low, 'grey': self.neutral, 'white': self.high}[kind])

    def translate(self, data):
        """All clips, frame after frame, each output fed back."""
        opt = self.opt
        n = np.arange(len(data))
        previous = self.opening(data.target, np.random.default_rng([opt.seed, 2]))
        outs = []
        for t in range(opt.clip_len):
            out = self.net.forward(self.stack(data.source, previous, n, np.full(len(n), t)))
            if opt.smooth > 0 and t > 0:
                out = (1 - opt.smooth) * out + opt.smooth * warp(previous, data.flow[:, t])
            outs.append(out)
            previous = out
        return self.to_frames(np.stack(outs, axis=1), data)

    def to_frames(self, out, data):
        raise NotImplementedError

    # ---- weights
    def weights(self):
        return get_weights(self.net)

    def load(self, weights):
        set_weights(self.net, weights)
