"""Sequence design by Gibbs sampling from the masked model."""
import numpy as np

from .alphabet import AMINO_ACIDS


class GibbsDesigner:
    def __init__(self, model, alphabet, temperature=1.0, top_k=0, seed=0):
        if temperature <= 0:
            raise ValueError("temperature must be positive")
        if not 0 <= top_k <= len(AMINO_ACIDS):
            raise ValueError(f"top_k must lie in 0..{len(AMINO_ACIDS)} (0: no cut)")
        self.model, self.alphabet = model, alphabet
        self.temperature, self.top_k, self.seed = temperature, top_k, seed

    def sample(self, length, num_sequences=4, sweeps=2, block=6):
        """[(sequence, mean log-likelihood)], best first."""
        if length < 4 or num_sequences < 1 or sweeps < 1:
            raise ValueError("length must be at least 4; num_sequences and sweeps at least 1")
        rng = np.random.default_rng(self.seed)
        tokens = self.alphabet.batch(["X" * length] * num_sequences)
        tokens[:, 1:-1] = rng.integers(len(AMINO_ACIDS), size=(num_sequences, length))
        for _ in range(sweeps):
            order = 1 + rng.permutation(length)
            for start in range(0, length, block):
                sites = order[start:start + block]
                masked = tokens.copy()
                masked[:, sites] = self.alphabet.mask
                logp = self.model.log_probabilities(masked)[:, sites] / self.temperature
                if self.top_k:
                    cut = np.sort(logp, -1)[..., -self.top_k, None]
                    logp = np.where(logp >= cut, logp, -np.inf)
                tokens[:, sites] = (logp + rng.gumbel(size=logp.shape)).argmax(-1)
        logp = self.model.log_probabilities(tokens)
        scores = np.take_along_axis(logp[:, 1:-1], tokens[:, 1:-1, None], -1)[..., 0].mean(1)
        designs = [(self.alphabet.decode(row), float(score)) for row, score in zip(tokens, scores)]
        return sorted(designs, key=lambda design: -design[1])
