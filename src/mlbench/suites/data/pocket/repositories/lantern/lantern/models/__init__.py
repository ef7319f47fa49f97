"""Finding models by name: load_model, load_model_and_preprocess, model_zoo."""

import os

import numpy as np
import yaml

from lantern.common.optims import AdamW
from lantern.common.registry import registry
from lantern.datasets import build_dataset
from lantern.models import caption, matching, twinlight, vqa  # noqa: F401  (they register themselves)
from lantern.processors import CaptionProcessor, ImageEval, ImageTrain

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def model_configs(name):
    registry.get("model", name)
    with open(os.path.join(HERE, "configs", "models", name + ".yaml"), encoding="utf-8") as handle:
        return yaml.safe_load(handle)


def _spec(name, model_type):
    types = model_configs(name)
    if model_type not in types:
        raise KeyError(f"model {name!r} has no type {model_type!r}; types: {', '.join(types)}")
    return types[model_type]


def pretrain(model, spec):
    """Weights are not shipped: they are fitted from generated pictures, always the same."""
    recipe = spec["pretrain"]
    data = build_dataset(recipe["data"], "train", recipe["num"])
    vis, txt = ImageEval(), CaptionProcessor()
    samples = collate(data.items, vis, txt)
    samples["features"] = model.vision(samples["image"])
    rng = np.random.default_rng(recipe.get("seed", 5))
    optimizer = AdamW(model.params)
    for epoch in range(recipe["epochs"]):
        lr = recipe["lr"] * (1 - 0.8 * epoch / recipe["epochs"])
        order = rng.permutation(len(data))
        for start in range(0, len(order), 40):
            batch = take(samples, order[start : start + 40])
            optimizer.step(model.loss_and_grads(batch)[1], lr)


def collate(items, vis, txt):
    return {
        "image": np.stack([vis(item["image"]) for item in items]),
        "caption": [txt(item["caption"]) for item in items],
        "question": [txt(item["question"]) for item in items],
        "answer": [item["answer"] for item in items],
    }


def take(samples, index):
    return {k: v[index] if isinstance(v, np.ndarray) else [v[i] for i in index] for k, v in samples.items()}


def load_model(name, model_type, is_eval=False, pretrained=True, **kwargs):
    spec = _spec(name, model_type)
    model = registry.get("model", name)(**spec["arch"], **kwargs)
    if pretrained:
        pretrain(model, spec)
    model.training = not is_eval
    return model


def load_preprocess():
    vis = {"train": ImageTrain(), "eval": ImageEval()}
    txt = {"train": CaptionProcessor(), "eval": CaptionProcessor()}
    return vis, txt


def load_model_and_preprocess(name, model_type, is_eval=False):
    """-> model, visual processors, text processors; both processors have "train" and "eval"."""
    return (load_model(name, model_type, is_eval=is_eval), *load_preprocess())


class ModelZoo:
    def __str__(self):
        lines = ["=" * 60, f"{'name':<28}types", "=" * 60]
        for name in registry.names("model"):
            lines.append(f"{name:<28}{', '.join(model_configs(name))}")
        return "\n".join(lines)


model_zoo = ModelZoo()
