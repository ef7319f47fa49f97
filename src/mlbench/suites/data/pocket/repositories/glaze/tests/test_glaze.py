import unittest
from pathlib import Path

import numpy as np

from glaze import Config, ConfigError, Pipeline
from glaze.model import Denoiser
from glaze.patterns import LABELS, make_patterns
from glaze.samplers import noise_levels

CONFIGS = Path(__file__).resolve().parent.parent / "configs"


class Configuration(unittest.TestCase):
    def load(self, *overrides):
        return Config.load(CONFIGS / "stripes.yaml", overrides)

    def test_override(self):
        config = self.load("sampler.steps=12", "train.lr=5e-4", "evaluate.steps=[2,3]", "train.ema=false")
        self.assertEqual(config["sampler.steps"], 12)
        self.assertEqual(config["train.lr"], 5e-4)
        self.assertEqual(config["evaluate.steps"], [2, 3])
        self.assertIs(config["train.ema"], False)

    def test_mistakes(self):
        for text in ("sampler.stepz=12", "sampler.steps=12.5", "sampler.steps=0", "train.lr=fast", "sampler.name=eu",
                     "train.ema=1", "evaluate.steps=3", "evaluate.steps=[3,]", "sampler=euler", "sampler.steps"):
            with self.subTest(text), self.assertRaises(ConfigError):
                self.load(text)

    def test_all_files(self):
        for path in CONFIGS.glob("*.yaml"):
            self.assertEqual(Config.load(path)["name"], path.stem)


class Model(unittest.TestCase):
    def test_gradients(self):
        for activation in ("silu", "relu", "tanh", "gelu"):
            rng = np.random.default_rng(0)
            model = Denoiser(9, 4, 6, 2, activation)
            x, labels, w = rng.normal(size=(7, 9)), np.array([0, 1, 2, 3, -1, 0, 1]), rng.normal(size=(7, 9))
            model(x, 0.6, labels)
            grads = model.gradients(w)
            for weights, grad in zip(model.weights, grads):
                old, h = weights.flat[1], 1e-5
                weights.flat[1] = old + h
                up = (model(x, 0.6, labels) * w).sum()
                weights.flat[1] = old - h
                down = (model(x, 0.6, labels) * w).sum()
                weights.flat[1] = old
                self.assertAlmostEqual((up - down) / (2 * h), grad.flat[1], places=5)

    def test_levels_fall(self):
        for kind in ("power", "geometric", "linear"):
            levels = noise_levels(kind, 7, 0.03, 4.0)
            self.assertEqual(len(levels), 8)
            self.assertTrue((np.diff(levels) < 0).all())
            self.assertAlmostEqual(levels[0], 4.0)


class Whole(unittest.TestCase):
    def test_patterns(self):
        for pattern in LABELS:
            images, labels = make_patterns(pattern, 40)
            self.assertEqual(images.shape, (40, 64))
            self.assertLessEqual(abs(images).max(), 1)

    def test_known_part_stays(self):
        pipe = Pipeline.from_config(CONFIGS / "stripes.yaml", {"train.iterations": 10}).fit()
        true, labels = pipe.pictures(3, seed=9)
        filled = pipe.inpaint(true, labels, region="left").reshape(3, 8, 8)
        np.testing.assert_array_equal(filled[:, :, 4:], true.reshape(3, 8, 8)[:, :, 4:])


if __name__ == "__main__":
    unittest.main()
