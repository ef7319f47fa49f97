"""Does this sentence describe this picture? A bilinear model with a logistic loss."""

import numpy as np

from lantern.common.registry import registry
from lantern.models.base import TEXT_DIM, BaseModel, bag_of_words


@registry.register_model("lantern_image_text_matching")
class LanternMatching(BaseModel):
    def __init__(self, patch=4, width=32, hidden=32):
        super().__init__(patch, width)
        self.init(image=(self.vision.dim, hidden), text=(TEXT_DIM, hidden), bias=(1,))

    def loss_and_grads(self, samples):
        p = self.params
        image, text = self.features(samples), bag_of_words(samples["caption"])
        image, text = np.concatenate([image, image]), np.concatenate([text, np.roll(text, 1, axis=0)])
        n = len(image) // 2
        label = np.concatenate([np.ones(n), (text[n:] == text[:n]).all(1).astype(float)])
        u, t = image @ p["image"], text @ p["text"]
        prob = 1 / (1 + np.exp(-np.clip((u * t).mean(1) + p["bias"], -30, 30)))
        loss = -(label * np.log(prob + 1e-12) + (1 - label) * np.log(1 - prob + 1e-12)).mean()
        g = ((prob - label) / len(label))[:, None]
        h = u.shape[1]
        return loss, {"image": image.T @ (g * t) / h, "text": text.T @ (g * u) / h, "bias": g.sum(0)}

    def match(self, samples):
        """Probability that text_input[i] describes image[i]."""
        texts = samples["text_input"]
        text = bag_of_words([texts] if isinstance(texts, str) else texts)
        p = self.params
        score = ((self.features(samples) @ p["image"]) * (text @ p["text"])).mean(1) + p["bias"]
        return 1 / (1 + np.exp(-np.clip(score, -30, 30)))
