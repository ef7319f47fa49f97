"""A next-word model that looks at the picture and at the previous word."""

import numpy as np

from lantern.common.registry import registry
from lantern.models.base import INDEX, WORDS, BaseModel, softmax

MAX_POSITION = 24


@registry.register_model("lantern_caption")
class LanternCaption(BaseModel):
    def __init__(self, patch=4, width=32, hidden=48):
        super().__init__(patch, width)
        v, h = len(WORDS), hidden
        self.init(image=(self.vision.dim, h), word=(v, h), position=(MAX_POSITION, h), out=(h, v), bias=(v,))

    def loss_and_grads(self, samples):
        p = self.params
        image = self.features(samples)
        ids = [[INDEX[w] for w in text.split()[: MAX_POSITION - 1]] for text in samples["caption"]]
        length = max(map(len, ids)) + 1
        prev = np.zeros((len(ids), length), int)
        target = np.zeros((len(ids), length), int)
        for i, row in enumerate(ids):
            prev[i, : len(row) + 1] = [INDEX["<start>"]] + row
            target[i, : len(row) + 1] = row + [INDEX["<end>"]]
        keep = (target > 0).astype(float)
        h = np.tanh((image @ p["image"])[:, None] + p["word"][prev] + p["position"][:length])
        prob = softmax(h @ p["out"] + p["bias"])
        total = keep.sum()
        picked = np.take_along_axis(prob, target[..., None], 2)[..., 0]
        loss = -(keep * np.log(picked + 1e-12)).sum() / total
        g = prob.copy()
        np.put_along_axis(g, target[..., None], np.take_along_axis(g, target[..., None], 2) - 1, 2)
        g *= keep[..., None] / total
        gh = (g @ p["out"].T) * (1 - h * h)
        grads = {
            "out": np.tensordot(h, g, ((0, 1), (0, 1))), "bias": g.sum((0, 1)), "image": image.T @ gh.sum(1),
            "word": np.zeros_like(p["word"]), "position": np.zeros_like(p["position"]),
        }
        np.add.at(grads["word"], prev, gh)
        grads["position"][:length] = gh.sum(0)
        return loss, grads

    def _log_probs(self, image, tokens, min_length, repetition_penalty):
        p = self.params
        position = min(len(tokens) - 1, MAX_POSITION - 1)
        h = np.tanh(image @ p["image"] + p["word"][tokens[-1]] + p["position"][position])
        logits = h @ p["out"] + p["bias"]
        for t in set(tokens[1:]):
            logits[t] -= np.log(repetition_penalty)
        logits[[INDEX["<pad>"], INDEX["<start>"]]] = -1e9
        if len(tokens) - 1 < min_length:
            logits[INDEX["<end>"]] = -1e9
        return np.log(softmax(logits) + 1e-30)

    def generate(self, samples, use_nucleus_sampling=False, num_beams=3, max_length=14, min_length=4, top_p=0.9,
                 repetition_penalty=1.0, num_captions=1, seed=0):
        """One list of captions: num_captions for each picture of the batch.

        max_length and min_length count words. Beam search unless use_nucleus_sampling.
        samples may hold a "prompt": words with which every caption starts.
        """
        if not 0 < top_p <= 1:
            raise ValueError("top_p must be in (0, 1]")
        if num_captions < 1 or num_beams < 1 or max_length < min_length or repetition_penalty < 1:
            raise ValueError("num_captions and num_beams must be >= 1, max_length >= min_length, repetition_penalty >= 1")
        if not use_nucleus_sampling and num_captions > num_beams:
            raise ValueError("beam search cannot return more captions than beams")
        start = [INDEX["<start>"]]
        for word in samples.get("prompt", "").split():
            if word not in INDEX:
                raise ValueError(f"the prompt's word {word!r} is not in the vocabulary")
            start.append(INDEX[word])
        rng = np.random.default_rng(seed)
        captions = []
        for image in self.features(samples):
            if use_nucleus_sampling:
                found = [self._sample(image, start, top_p, max_length, min_length, repetition_penalty, rng)
                         for _ in range(num_captions)]
            else:
                found = self._beam(image, start, num_beams, max_length, min_length, repetition_penalty)[:num_captions]
            captions += [" ".join(WORDS[t] for t in f if t > 2) for f in found]
        return captions

    def _sample(self, image, start, top_p, max_length, min_length, penalty, rng):
        tokens = list(start)
        while len(tokens) - 1 < max_length and tokens[-1] != INDEX["<end>"]:
            prob = np.exp(self._log_probs(image, tokens, min_length, penalty))
            order = np.argsort(-prob)
            keep = order[: int(np.searchsorted(np.cumsum(prob[order]), top_p)) + 1]
            tokens.append(int(rng.choice(keep, p=prob[keep] / prob[keep].sum())))
        return tokens

    def _beam(self, image, start, num_beams, max_length, min_length, penalty):
        beams, done = [(0.0, list(start))], []
        for _ in range(max_length - len(start) + 1):
            grown = []
            for score, tokens in beams:
                logp = self._log_probs(image, tokens, min_length, penalty)
                for t in np.argsort(-logp)[:num_beams]:
                    grown.append((score + logp[t], tokens + [int(t)]))
            grown.sort(key=lambda b: -b[0])
            beams = []
            for beam in grown[:num_beams]:
                (done if beam[1][-1] == INDEX["<end>"] else beams).append(beam)
            if not beams:
                break
        ranked = sorted(done + beams, key=lambda b: -b[0] / len(b[1]))
        return [tokens for _, tokens in ranked]
