"""Effects of point mutations from the language model."""
import re

import numpy as np

from .alphabet import AMINO_ACIDS

STRATEGIES = ("wt-marginals", "masked-marginals", "pseudo-ppl", "conservation")


def parse_mutation(mutation, wild_type, offset):
    match = re.fullmatch(rf"([{AMINO_ACIDS}])(\d+)([{AMINO_ACIDS}])", mutation)
    if not match:
        raise ValueError(f"not a point mutation: {mutation!r}")
    place = int(match[2]) - offset
    if not 0 <= place < len(wild_type) or wild_type[place] != match[1]:
        raise ValueError(f"{mutation} does not fit the wild type (offset {offset})")
    return place, match[3]


def score(model, wild_type, offset, mutations, strategy, temperature=1.0, window=2):
    """One number a mutation; higher is better tolerated."""
    alphabet = model.alphabet
    parsed = [parse_mutation(mutation, wild_type, offset) for mutation in mutations]
    places = np.array([place for place, _ in parsed])
    new = np.array([alphabet.index[letter] for _, letter in parsed])
    tokens = alphabet.encode(wild_type)
    old = tokens[1 + places]
    if strategy == "pseudo-ppl":
        rows, owners, sites, truth = [], [], [], []
        for i, (place, letter) in enumerate(parsed):
            mutant = tokens.copy()
            mutant[1 + place] = alphabet.index[letter]
            for site in range(max(1, 1 + place - window), min(len(tokens) - 1, 2 + place + window)):
                row = mutant.copy()
                row[site] = alphabet.mask
                rows.append(row), owners.append(i), sites.append(site), truth.append(mutant[site])
        logp = tempered(model.log_probabilities(np.array(rows)), temperature)
        got = logp[np.arange(len(rows)), sites, truth]
        return np.bincount(owners, got) / np.bincount(owners)
    if strategy == "wt-marginals":
        logp = tempered(model.log_probabilities(tokens[None]), temperature)[0, 1 + places]
    else:
        unique, back = np.unique(places, return_inverse=True)
        block = np.repeat(tokens[None], len(unique), 0)
        block[np.arange(len(unique)), 1 + unique] = alphabet.mask
        logp = tempered(model.log_probabilities(block), temperature)[np.arange(len(unique)), 1 + unique][back]
    index = np.arange(len(new))
    if strategy == "conservation":
        entropy = -(np.exp(logp) * logp).sum(-1)
        return (np.log(len(AMINO_ACIDS)) - entropy) * (logp[index, new] - logp[index, old])
    return logp[index, new] - logp[index, old]


def tempered(logp, temperature):
    logp = logp / temperature
    return logp - np.log(np.exp(logp).sum(-1, keepdims=True))


def spearman(a, b):
    def ranks(x):
        _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        return (np.cumsum(counts) - (counts - 1) / 2)[inverse]

    return float(np.corrcoef(ranks(np.asarray(a)), ranks(np.asarray(b)))[0, 1])
