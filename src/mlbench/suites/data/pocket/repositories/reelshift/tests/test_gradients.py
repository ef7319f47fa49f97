import unittest

import numpy as np

from models.losses import penalty
from models.nets import NETS, get_weights


class GradientTest(unittest.TestCase):
    def test_against_finite_differences(self):
        rng = np.random.default_rng(0)
        x, y = rng.random((2, 6, 6, 3)), rng.random((2, 6, 6, 2))
        for name, net_class in NETS.items():
            net = net_class(3, 2, 4, 3, rng)
            for kind in ('l2', 'huber', 'charbonnier', 'logcosh'):
                _, grad = penalty(kind, net.forward(x) - y, 0.1)
                net.backward(grad)
                for key, w in get_weights(net).items():
                    layer, part = key.split('.')
                    analytic = getattr(net.layers[layer], 'd_' + part).ravel()[0]
                    old = w.flat[0]
                    losses = []
                    for eps in (1e-5, -1e-5):
                        w.flat[0] = old + eps
                        losses.append(penalty(kind, net.forward(x) - y, 0.1)[0])
                    w.flat[0] = old
                    self.assertAlmostEqual((losses[0] - losses[1]) / 2e-5, analytic, places=6, msg='%s %s %s' % (name, kind, key))


if __name__ == '__main__':
    unittest.main()
