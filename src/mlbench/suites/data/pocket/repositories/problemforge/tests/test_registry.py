import unittest

import numpy as np

from problemforge import hparams, registry, tape


class RegistryTest(unittest.TestCase):
    def test_names(self):
        self.assertEqual(registry.snake_case("ReverseDigits12"), "reverse_digits12")
        self.assertIn("place_mixer", registry.names("model"))
        with self.assertRaises(LookupError):
            registry.problem("no_such_thing")

    def test_all_problems_fit(self):
        for name in registry.names("problem"):
            for problem in (registry.problem(name), registry.problem(name + "_flip")):
                inputs, targets = problem.arrays(problem.generator("train", 50))
                self.assertEqual(inputs.shape, targets.shape)
                self.assertLess(max(inputs.max(), targets.max()), problem.vocab_size)

    def test_parse(self):
        hp = hparams.forge_base().parse("batch_size=3,dropout=0.5,tie_weights=true")
        self.assertEqual((hp.batch_size, hp.dropout, hp.tie_weights), (3, 0.5, True))
        for bad in ("batchsize=3", "batch_size=x", "dropout"):
            with self.assertRaises(ValueError):
                hparams.forge_base().parse(bad)


class TapeTest(unittest.TestCase):
    def test_scan(self):
        rng = np.random.default_rng(0)
        f, c, seed = rng.random((2, 5, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 3))
        for reverse in (False, True):
            gate, new = tape.Var(f), tape.Var(c)
            tape.gated_scan(gate, new, reverse).backward(seed)
            for var, array in ((gate, f), (new, c)):
                array[1, 2, 0] += 1e-6
                up = (tape.gated_scan(tape.Var(f), tape.Var(c), reverse).value * seed).sum()
                array[1, 2, 0] -= 2e-6
                down = (tape.gated_scan(tape.Var(f), tape.Var(c), reverse).value * seed).sum()
                array[1, 2, 0] += 1e-6
                self.assertAlmostEqual((up - down) / 2e-6, var.grad[1, 2, 0], places=5)


if __name__ == "__main__":
    unittest.main()
