"""Run from the root: python -m unittest discover tests"""

import unittest

import numpy as np

from quill import modeling, optimization


class GradientTest(unittest.TestCase):
    def test_masked_loss_against_differences(self):
        config = modeling.QuillConfig(vocab_size=20, hidden_size=6, num_layers=2, filter_size=8, max_positions=9)
        params = {k: v.astype(np.float64) for k, v in modeling.init_params(config, 1).items()}
        rng = np.random.default_rng(0)
        ids = rng.integers(0, 20, (3, 7))
        mask = np.ones((3, 7))
        mask[1, 5:] = 0
        batch = {"ids": ids, "segments": np.zeros_like(ids), "mask": mask, "rows": np.array([0, 1, 2, 2]),
                 "cols": np.array([1, 2, 3, 6]), "labels": np.array([4, 5, 6, 7])}
        _, _, grads = modeling.masked_loss(params, config, batch)
        for name in ("embed/piece", "layer0/q", "layer1/v", "layer0/in", "layer1/out_bias"):
            index = tuple(int(rng.integers(0, n)) for n in params[name].shape)
            if name == "embed/piece":
                index = (int(ids[0, 1]), 2)
            old = params[name][index]
            values = []
            for eps in (1e-5, -1e-5):
                params[name][index] = old + eps
                values.append(modeling.masked_loss(params, config, batch, train=False)[0])
            params[name][index] = old
            self.assertAlmostEqual((values[0] - values[1]) / 2e-5, grads[name][index], places=4)


class ScheduleTest(unittest.TestCase):
    def test_warmup_then_down(self):
        rates = [optimization.rate_at(s, 10, 1.0, warmup=4) for s in range(10)]
        self.assertEqual(rates[:4], [0.25, 0.5, 0.75, 1.0])
        self.assertEqual(max(rates[5:]), rates[5])


if __name__ == "__main__":
    unittest.main()
