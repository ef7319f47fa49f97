import unittest

import numpy as np

from peptideloom.molgraph import MolGraph, featurize, parse_smiles


class SmilesTest(unittest.TestCase):
    def test_ring_and_branch(self):
        atoms, bonds = parse_smiles("c1ccccc1C(=O)O")
        self.assertEqual(len(atoms), 9)
        self.assertEqual(len(bonds), 9)

    def test_unfinished(self):
        with self.assertRaises(ValueError):
            parse_smiles("C1CC(")


class GradientTest(unittest.TestCase):
    def test_message_gradient(self):
        x, a, mask = featurize(["CCO", "CC(=O)N", "c1ccccc1"])
        y = np.array([0.3, -1.0, 0.5])
        net = MolGraph(x.shape[-1], 5, 3, [4], "mean")
        _, grads = net.gradients(x, a, mask, y)
        for key in ("message", "input", "w0"):
            step = np.zeros_like(net.parameters[key])
            step[1, 2] = 1e-6
            values = []
            for sign in (1, -1):
                net.parameters[key] += sign * step
                values.append(0.5 * ((net.forward(x, a, mask)[0] - y) ** 2).mean())
                net.parameters[key] -= sign * step
            self.assertAlmostEqual((values[0] - values[1]) / 2e-6, grads[key][1, 2], places=5)


if __name__ == "__main__":
    unittest.main()
