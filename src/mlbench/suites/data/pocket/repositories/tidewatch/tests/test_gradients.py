import unittest

import numpy as np

import nets
from jobs.common import LOSSES, loss_and_grad


class Gradients(unittest.TestCase):
    def check(self, name, **options):
        rng = np.random.default_rng(1)
        net = nets.build(name, 16, 5, rng, dropout=0.0, d_model=6, patch_len=4, stride=2, moving_avg=5, **options)
        x, y = rng.normal(size=(7, 16)), rng.normal(size=(7, 5))
        _, dy = loss_and_grad("mse", net.forward(x), y)
        grads = net.backward(dy)
        for key, value in net.params.items():
            index = tuple(0 for _ in value.shape)
            keep = value[index]
            out = []
            for step in (1e-5, -1e-5):
                value[index] = keep + step
                out.append(loss_and_grad("mse", net.forward(x), y)[0])
            value[index] = keep
            self.assertAlmostEqual((out[0] - out[1]) / 2e-5, grads[key][index], places=5)

    def test_models(self):
        for name in nets.TRAINED:
            with self.subTest(model=name):
                self.check(name)

    def test_losses(self):
        rng = np.random.default_rng(2)
        y, target = rng.normal(size=(3, 4)) + 3, rng.normal(size=(3, 4)) + 3
        for name in LOSSES:
            _, grad = loss_and_grad(name, y, target)
            moved = y.copy()
            moved[1, 2] += 1e-6
            numeric = (loss_and_grad(name, moved, target)[0] - loss_and_grad(name, y, target)[0]) / 1e-6
            self.assertAlmostEqual(numeric, grad[1, 2], places=4, msg=name)


if __name__ == "__main__":
    unittest.main()
