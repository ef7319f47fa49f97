"""python -m pytest tests   (from the root; conftest.py finds examples/)"""
import numpy as np
import pytest
from mill import losses
from mill.layers import Conv3d
from mill.trainer import dice_score
from mill.volumes import make_dataset


@pytest.mark.parametrize("dilation", [1, 2])
def test_conv_gradient(dilation):
    rng = np.random.default_rng(0)
    conv = Conv3d(rng, 2, 3, dilation=dilation)
    conv.w = conv.w.astype(float)
    x, d = rng.normal(size=(1, 5, 5, 5, 2)), rng.normal(size=(1, 5, 5, 5, 3))
    conv.forward(x)
    back = conv.backward(d)
    step = np.zeros_like(x)
    step[0, 2, 1, 3, 1] = 1e-5
    slope = ((conv.forward(x + step) - conv.forward(x - step)) * d).sum() / 2e-5
    assert slope == pytest.approx(back[0, 2, 1, 3, 1], rel=1e-4)


@pytest.mark.parametrize("name", losses.LOSSES)
def test_loss_gradient(name):
    rng = np.random.default_rng(1)
    z, y = rng.normal(size=(2, 3, 3, 3, 1)), (rng.random((2, 3, 3, 3, 1)) > 0.6).astype(float)
    loss = losses.get(name)
    step = np.zeros_like(z)
    step[1, 0, 2, 1, 0] = 1e-5
    slope = (loss(z + step, y)[0] - loss(z - step, y)[0]) / 2e-5
    assert slope == pytest.approx(loss(z, y)[1][1, 0, 2, 1, 0], rel=1e-3)


def test_dice():
    mask = np.array([1.0, 1, 0, 0])
    assert dice_score(np.array([0.9, 0.2, 0.8, 0.1]), mask) == 0.5


def test_split():
    train, test = make_dataset("torus", (8, 8, 8), 10, 0.6)
    assert (len(train[0]), len(test[0])) == (6, 4)
