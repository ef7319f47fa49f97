import unittest

import numpy as np

from lantern.models import load_model, load_model_and_preprocess, model_configs
from lantern.processors import load_image


def numeric_grad(model, samples, name, index, eps=1e-5):
    value = model.params[name]
    old = value[index]
    value[index] = old + eps
    up = model.loss_and_grads(samples)[0]
    value[index] = old - eps
    down = model.loss_and_grads(samples)[0]
    value[index] = old
    return (up - down) / (2 * eps)


class Gradients(unittest.TestCase):
    def test_all_models(self):
        rng = np.random.default_rng(0)
        samples = {
            "image": rng.uniform(-1, 1, (4, 3, 20, 20)),
            "caption": ["a small red ring on dark ground", "two small blue circle shapes", "a large cross", "a ring"],
            "question": ["what colour is it"] * 4,
            "answer": ["red", "blue", "one", "ring"],
        }
        for name in ("lantern_caption", "lantern_vqa", "lantern_image_text_matching", "twinlight"):
            model = load_model(name, next(iter(model_configs(name))), pretrained=False)
            _, grads = model.loss_and_grads(samples)
            for key, grad in grads.items():
                index = np.unravel_index(np.abs(grad).argmax(), grad.shape)
                self.assertAlmostEqual(grad[index], numeric_grad(model, samples, key, index), places=4, msg=f"{name} {key}")


class Loading(unittest.TestCase):
    def test_caption(self):
        model, vis, _ = load_model_and_preprocess("lantern_caption", "large_glyphs", is_eval=True)
        image = vis["eval"](load_image("examples/images/kite.ppm"))[None]
        self.assertIn("yellow", model.generate({"image": image})[0])

    def test_unknown_type(self):
        with self.assertRaises(KeyError):
            load_model("twinlight", "patch3")


if __name__ == "__main__":
    unittest.main()
