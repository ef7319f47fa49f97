import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

SLOPE = 0.2


class Conv:
    """Same-size convolution on (B, H, W, C) by unfolding."""

    def __init__(self, c_in, c_out, kernel, rng, gain=1.0):
        fan = c_in * kernel * kernel
        self.kernel, self.c_in = kernel, c_in
        self.weight = gain * rng.standard_normal((fan, c_out)) / np.sqrt(fan)
        self.bias = np.zeros(c_out)

    def forward(self, x):
        r = self.kernel // 2
        p = np.pad(x, ((0, 0), (r, r), (r, r), (0, 0)))
        cols = sliding_window_view(p, (self.kernel, self.kernel), axis=(1, 2))
        self.shape = x.shape
        self.cols = cols.transpose(0, 1, 2, 4, 5, 3).reshape(-1, len(self.weight))
        return (self.cols @ self.weight + self.bias).reshape(x.shape[:3] + (-1,))

    def backward(self, grad, want_input=True):
        b, h, w, c = self.shape
        g = grad.reshape(-1, grad.shape[-1])
        self.d_weight, self.d_bias = self.cols.T @ g, g.sum(0)
        if not want_input:
            return None
        k, r = self.kernel, self.kernel // 2
        back = (g @ self.weight.T).reshape(b, h, w, k, k, c)
        out = np.zeros((b, h + 2 * r, w + 2 * r, c))
        for i in range(k):
            for j in range(k):
                out[:, i:i + h, j:j + w] += back[:, :, :, i, j]
        return out[:, r:r + h, r:r + w]


class LinearNet:
    def __init__(self, c_in, c_out, maps, kernel, rng):
        self.layers = {'first': Conv(c_in, c_out, kernel, rng, 0.3)}

    def forward(self, x):
        return self.layers['first'].forward(x)

    def backward(self, grad):
        self.layers['first'].backward(grad, False)


class ConvNet:
    def __init__(self, c_in, c_out, maps, kernel, rng):
        self.layers = {'first': Conv(c_in, maps, kernel, rng, 1.4), 'last': Conv(maps, c_out, 3, rng, 0.5)}

    def forward(self, x):
        self.pre = self.layers['first'].forward(x)
        return self.layers['last'].forward(np.where(self.pre > 0, self.pre, SLOPE * self.pre))

    def backward(self, grad):
        back = self.layers['last'].backward(grad)
        self.layers['first'].backward(back * np.where(self.pre > 0, 1.0, SLOPE), False)


class ResidualNet(ConvNet):
    """ConvNet plus a pixel-wise linear path from the input to the output."""

    def __init__(self, c_in, c_out, maps, kernel, rng):
        ConvNet.__init__(self, c_in, c_out, maps, kernel, rng)
        self.layers['skip'] = Conv(c_in, c_out, 1, rng, 0.3)

    def forward(self, x):
        return ConvNet.forward(self, x) + self.layers['skip'].forward(x)

    def backward(self, grad):
        ConvNet.backward(self, grad)
        self.layers['skip'].backward(grad, False)


NETS = {'linear': LinearNet, 'conv': ConvNet, 'residual': ResidualNet}


def get_weights(net):
    return {'%s.%s' % (n, k): getattr(layer, k) for n, layer in net.layers.items() for k in ('weight', 'bias')}


def set_weights(net, weights):
    for name, value in weights.items():
        layer, key = name.split('.')
        if layer not in net.layers or getattr(net.layers[layer], key).shape != value.shape:
            raise SystemExit('the snapshot does not fit the network (%s)' % name)
        setattr(net.layers[layer], key, value)
