"""Generated stand-ins for the well-known citation graphs.

Nothing is downloaded. Each name stands for a recipe (nodes, classes, words,
degree, homophily) that is grown from a seed: papers get a topic and a
popularity, citations prefer the own topic and popular papers, and the words
of a paper are drawn from its topic's vocabulary and from common words.
"""
import numpy as np
import scipy.sparse as sp

from lichen.graph import Graph

#        nodes classes words degree homophily
_GROWN = {
    "cora": (400, 7, 96, 4.0, 0.81),
    "citeseer": (460, 6, 110, 2.8, 0.74),
    "pubmed": (640, 3, 64, 4.5, 0.80),
    "dblp": (520, 4, 80, 3.4, 0.83),
    "acm": (360, 3, 72, 5.0, 0.70),
}
DATASETS = tuple(_GROWN)


def load_dataset(name, seed=0, row_norm=False, train_per_class=12):
    """Grow the graph called `name`; the same arguments give the same graph."""
    if name not in _GROWN:
        raise ValueError(f"unknown dataset {name!r}, expected one of {', '.join(DATASETS)}")
    nodes, classes, words, degree, homophily = _GROWN[name]
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    labels = rng.permutation(np.arange(nodes) % classes)
    adjacency = _citations(labels, classes, degree, homophily, rng)
    features = _words(labels, classes, words, rng)
    if row_norm:
        features = features / np.maximum(features.sum(axis=1, keepdims=True), 1.0)
    train = np.concatenate([
        rng.choice(np.flatnonzero(labels == c), train_per_class, replace=False)
        for c in range(classes)])
    rest = rng.permutation(np.setdiff1d(np.arange(nodes), train))
    return Graph(name, adjacency, features, labels, np.sort(train),
                 np.sort(rest[:100]), np.sort(rest[100:]))


def _citations(labels, classes, degree, homophily, rng):
    nodes = len(labels)
    count = int(nodes * degree / 2)
    popularity = rng.pareto(2.5, nodes) + 0.3
    source = rng.integers(nodes, size=count)
    target = rng.choice(nodes, size=count, p=popularity / popularity.sum())
    same = rng.random(count) < homophily
    for c in range(classes):
        members = np.flatnonzero(labels == c)
        share = popularity[members] / popularity[members].sum()
        pick = same & (labels[source] == c)
        target[pick] = rng.choice(members, size=int(pick.sum()), p=share)
    source, target = source[source != target], target[source != target]
    # nobody stays alone: a paper without citation cites one of its own topic
    lonely = np.setdiff1d(np.arange(nodes), np.concatenate([source, target]))
    partner = np.array([rng.choice(np.setdiff1d(np.flatnonzero(labels == labels[i]), [i]))
                        for i in lonely], dtype=np.int64)
    row = np.concatenate([source, lonely])
    col = np.concatenate([target, partner])
    matrix = sp.csr_matrix((np.ones(len(row)), (row, col)), shape=(nodes, nodes))
    matrix = matrix + matrix.T
    matrix.data[:] = 1.0
    return sp.csr_matrix(matrix)


def _words(labels, classes, words, rng):
    topic = rng.random((classes, words)) < 0.22
    rate = np.where(topic, 0.24, 0.09)
    return (rng.random((len(labels), words)) < rate[labels]).astype(np.float64)
