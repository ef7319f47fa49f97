"""Run from the root of the repository: python3 -m unittest discover tests"""
import importlib.util
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NAMES = ["gan", "wgan", "lsgan", "cgan", "vae", "denoiser", "coupling"]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "implementations" / name / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def numeric(loss, flat, index, step=1e-5):
    old = flat[index]
    flat[index] = old + step
    up = loss()
    flat[index] = old - step
    down = loss()
    flat[index] = old
    return (up - down) / (2 * step)


class Gradients(unittest.TestCase):
    def test_network(self):
        for name in NAMES:
            with self.subTest(name):
                rng = np.random.default_rng(1)
                net = load(name).MLP([3, 7, 5, 2], rng)
                x, weights = rng.normal(size=(11, 3)), rng.normal(size=(11, 2))

                def loss():
                    return (net.forward(x) * weights).sum()

                loss()
                net.backward(weights)
                for index in rng.integers(net.flat.size, size=8):
                    self.assertAlmostEqual(net.grad[index], numeric(loss, net.flat, index), places=5)

    def test_flow(self):
        coupling = load("coupling")
        flow = coupling.CouplingFlow(3, 8)
        x = coupling.make_data("waves", 40)
        flow.nll_and_grad(x)
        for net in flow.nets:
            grads = net.grad.copy()
            for index in (0, 9, net.flat.size - 1):
                self.assertAlmostEqual(
                    grads[index], numeric(lambda: -flow.log_prob(x).mean(), net.flat, index), places=5)


class Flow(unittest.TestCase):
    def test_inverse(self):
        coupling = load("coupling")
        flow = coupling.CouplingFlow(5, 8)
        x = coupling.make_data("cross", 50)
        np.testing.assert_allclose(flow.inverse(flow.forward(x)[0]), x, atol=1e-9)

    def test_unknown_set(self):
        with self.assertRaises(ValueError):
            load("coupling").make_data("bunnies")


if __name__ == "__main__":
    unittest.main()
