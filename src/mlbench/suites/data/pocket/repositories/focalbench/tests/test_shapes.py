import numpy as np

from model.attention.SelfAttention import ScaledDotProductAttention
from model.attention.WindowAttention import WindowAttention
from model.base import conv2d
from model.conv.PlaceKernel import PlaceKernel
from model.zoo import MAP_LAYERS, TOKEN_LAYERS


def test_token_layers_keep_the_shape():
    x = np.random.randn(2, 16, 32)
    for key, make in TOKEN_LAYERS.items():
        layer = make(16, 32, 4, 0)
        y = layer(x, x, x) if key == "sdpa" else layer(x)
        assert y.shape == x.shape, key


def test_map_layers_keep_the_shape():
    x = np.random.randn(2, 16, 6, 6)
    for key, make in MAP_LAYERS.items():
        assert make(16, 4, 0)(x).shape == x.shape, key


def test_attention_does_not_mix_the_batch():
    x = np.random.randn(3, 8, 16)
    layer = ScaledDotProductAttention(16, 4, 6, 2)
    assert np.allclose(layer(x, x, x)[1], layer(x[1:2], x[1:2], x[1:2])[0])


def test_shifted_windows():
    x = np.random.randn(1, 8, 6, 6)
    assert WindowAttention(8, 3, 2, shift=True)(x).shape == x.shape


def test_grouped_convolution():
    x, w = np.random.randn(1, 4, 5, 5), np.random.randn(6, 2, 3, 3)
    y = conv2d(x, w, padding=1, groups=2)
    assert np.isclose(y[0, 4, 2, 2], (x[0, 2:, 1:4, 1:4] * w[4]).sum())


def test_place_kernel_stride():
    assert PlaceKernel(16, 5, stride=2, group_channel=8)(np.random.randn(2, 16, 9, 9)).shape == (2, 16, 5, 5)
