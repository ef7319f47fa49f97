"""Answers as classes; picture and question meet in a product."""

import numpy as np

from lantern.common.registry import registry
from lantern.datasets.scenes import ANSWERS
from lantern.models.base import ANSWER_INDEX, TEXT_DIM, BaseModel, bag_of_words, softmax


@registry.register_model("lantern_vqa")
class LanternVQA(BaseModel):
    def __init__(self, patch=4, width=32, hidden=48):
        super().__init__(patch, width)
        a = len(ANSWERS)
        self.init(image=(self.vision.dim, hidden), question=(TEXT_DIM, hidden), out=(hidden, a), text=(TEXT_DIM, a),
                  bias=(a,))

    def _forward(self, image, question):
        p = self.params
        u, q = np.tanh(image @ p["image"]), np.tanh(question @ p["question"])
        return u, q, (u * q) @ p["out"] + question @ p["text"] + p["bias"]

    def loss_and_grads(self, samples):
        p = self.params
        image, question = self.features(samples), bag_of_words(samples["question"])
        target = np.array([ANSWER_INDEX[a] for a in samples["answer"]])
        u, q, logits = self._forward(image, question)
        prob = softmax(logits)
        rows = np.arange(len(target))
        loss = -np.log(prob[rows, target] + 1e-12).mean()
        g = prob.copy()
        g[rows, target] -= 1
        g /= len(target)
        gf = g @ p["out"].T
        return loss, {
            "out": (u * q).T @ g, "bias": g.sum(0), "text": question.T @ g,
            "image": image.T @ (gf * q * (1 - u * u)), "question": question.T @ (gf * u * (1 - q * q)),
        }

    def predict_answers(self, samples, answer_list=None, num_answers=1, with_scores=False):
        """One list for each picture: the num_answers likeliest answers, best first."""
        texts = samples["text_input"]
        texts = [texts] if isinstance(texts, str) else list(texts)
        image = self.features(samples)
        if len(texts) == 1:
            texts = texts * len(image)
        if len(texts) != len(image):
            raise ValueError("one question for all pictures, or one for each")
        allowed = [ANSWER_INDEX[a] for a in (answer_list or ANSWERS)]
        if not 1 <= num_answers <= len(allowed):
            raise ValueError(f"num_answers must be between 1 and {len(allowed)}")
        prob = softmax(self._forward(image, bag_of_words(texts))[2][:, allowed])
        out = []
        for row in prob:
            best = np.argsort(-row, kind="stable")[:num_answers]
            answers = [ANSWERS[allowed[i]] for i in best]
            out.append([(a, round(float(row[i]), 4)) for a, i in zip(answers, best)] if with_scores else answers)
        return out
