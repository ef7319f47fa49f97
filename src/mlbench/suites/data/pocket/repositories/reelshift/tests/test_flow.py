import unittest

import numpy as np

from models.flow import METHODS, estimate_flow, warp
from util.colour import join, split
from util.metrics import psnr


def blob(side, cx, cy):
    y, x = np.mgrid[0:side, 0:side]
    return np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 12.0)


class FlowTest(unittest.TestCase):
    def test_zero_flow_is_identity(self):
        f = blob(12, 5, 6)
        np.testing.assert_allclose(warp(f, np.zeros((12, 12, 2))), f)

    def test_every_method_follows_a_shifted_blob(self):
        a, b = blob(14, 6, 7), blob(14, 7, 7)
        for method in METHODS:
            with self.subTest(method=method):
                flow = estimate_flow(a, b, method=method, window=5)
                self.assertGreater(psnr(warp(a, flow), b), psnr(a, b))

    def test_bad_arguments(self):
        with self.assertRaises(ValueError):
            estimate_flow(blob(8, 3, 3), blob(8, 3, 3), method='radar')
        with self.assertRaises(ValueError):
            estimate_flow(blob(8, 3, 3), blob(8, 3, 3), window=4)


class ColourTest(unittest.TestCase):
    def test_round_trip(self):
        f = np.random.default_rng(0).random((2, 5, 5, 3))
        np.testing.assert_allclose(join(*split(f)), f)


if __name__ == '__main__':
    unittest.main()
