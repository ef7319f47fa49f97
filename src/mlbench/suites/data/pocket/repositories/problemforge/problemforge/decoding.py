"""From a model's scores to texts."""

import numpy as np

from problemforge.hparams import HParams


def decode_hparams(text=""):
    """Settings of the decoder; overrides as "name=value,name=value"."""
    return HParams(
        method="greedy",        # or: sample
        temperature=1.0,
        top_k=0,                # 0: all symbols
        num_samples=1,
        return_scores=False,
        seed=1,
    ).parse(text)


def decode(model, texts, settings):
    """For every text a list of (output, log-probability)."""
    if settings.method not in ("greedy", "sample"):
        raise ValueError("method is greedy or sample")
    if settings.temperature <= 0:
        raise ValueError("temperature should be positive")
    rng = np.random.default_rng(settings.seed)
    inputs = np.array([model.problem.encode(t) for t in texts])
    logits = model(inputs).value / settings.temperature
    if settings.top_k:
        limit = np.sort(logits, axis=-1)[:, :, -min(settings.top_k, logits.shape[-1])][:, :, None]
        logits = np.where(logits < limit, -1e9, logits)
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    results = [[] for _ in texts]
    for _ in range(settings.num_samples if settings.method == "sample" else 1):
        if settings.method == "greedy":
            ids = p.argmax(axis=-1)
        else:
            draw = rng.random(p.shape[:2])[:, :, None]
            ids = np.minimum((p.cumsum(axis=-1) < draw).sum(axis=-1), p.shape[-1] - 1)
        score = np.log(np.take_along_axis(p, ids[:, :, None], axis=2) + 1e-9).sum(axis=(1, 2))
        for i, row in enumerate(ids):
            results[i].append((model.problem.decode(row), float(score[i])))
    return results
