"""Two encoders and one common space, trained with a contrastive loss."""

from dataclasses import dataclass

import numpy as np

from lantern.common.registry import registry
from lantern.models.base import TEXT_DIM, BaseModel, bag_of_words, softmax


def _normalise(z):
    length = np.sqrt((z * z).sum(1, keepdims=True)) + 1e-9
    return z / length, length


@registry.register_model("twinlight")
class Twinlight(BaseModel):
    def __init__(self, patch=4, width=32, embed_dim=24, temperature=0.1):
        super().__init__(patch, width)
        self.temperature = temperature
        self.init(image=(self.vision.dim, embed_dim), text=(TEXT_DIM, embed_dim))

    def encode_image(self, samples):
        return _normalise(self.features(samples) @ self.params["image"])[0]

    def encode_text(self, texts):
        return _normalise(bag_of_words(texts) @ self.params["text"])[0]

    def loss_and_grads(self, samples):
        p = self.params
        image, text = self.features(samples), bag_of_words(samples["caption"])
        a, la = _normalise(image @ p["image"])
        b, lb = _normalise(text @ p["text"])
        logits = a @ b.T / self.temperature
        n = np.arange(len(a))
        p1, p2 = softmax(logits), softmax(logits.T).T
        loss = -0.5 * (np.log(p1[n, n] + 1e-12) + np.log(p2[n, n] + 1e-12)).mean()
        g = 0.5 * (p1 + p2)
        g[n, n] -= 1
        g /= len(a) * self.temperature
        ga, gb = g @ b, g.T @ a
        ga = (ga - a * (ga * a).sum(1, keepdims=True)) / la
        gb = (gb - b * (gb * b).sum(1, keepdims=True)) / lb
        return loss, {"image": image.T @ ga, "text": text.T @ gb}

    def predict_classes(self, samples, class_names, template="a {}", temperature=None):
        """Zero-shot: probabilities (n, classes); {} in the template is the class's place."""
        if "{}" not in template:
            raise ValueError("the template needs {} where the class name goes")
        texts = self.encode_text([template.replace("{}", name) for name in class_names])
        scale = self.temperature if temperature is None else temperature
        if scale <= 0:
            raise ValueError("temperature must be positive")
        return softmax(self.encode_image(samples) @ texts.T / scale)


@dataclass
class Features:
    image_embeds: np.ndarray | None = None
    image_embeds_proj: np.ndarray | None = None
    text_embeds: np.ndarray | None = None
    text_embeds_proj: np.ndarray | None = None
    multimodal_embeds: np.ndarray | None = None


@registry.register_model("lantern_feature_extractor")
class LanternFeatures(Twinlight):
    def extract_features(self, samples, mode="multimodal", normalize=True):
        """mode: "multimodal" (all fields), "image" or "text" (only the fields of that side)."""
        if mode not in ("multimodal", "image", "text"):
            raise ValueError(f"mode must be multimodal, image or text, not {mode!r}")
        out = Features()
        project = (lambda z: _normalise(z)[0]) if normalize else (lambda z: z)
        if mode != "text":
            out.image_embeds = self.features(samples)
            out.image_embeds_proj = project(out.image_embeds @ self.params["image"])
        if mode != "image":
            texts = samples["text_input"]
            out.text_embeds = bag_of_words([texts] if isinstance(texts, str) else texts)
            out.text_embeds_proj = project(out.text_embeds @ self.params["text"])
        if mode == "multimodal":
            out.multimodal_embeds = out.image_embeds_proj * out.text_embeds_proj
        return out
