"""Write small citation graphs where DGL looks for Cora, Citeseer and Pubmed: the raw files of Planetoid.

python make_data.py CHECKOUT TARGET
"""

import hashlib
import pickle
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from dgl.data.utils import _get_dgl_url

CLASSES = {"cora_v2": 7, "citeseer": 6, "pubmed": 3}
WORDS = 48  # features of a node
LABELLED, TEST = 10, 60  # training nodes a class, test nodes
VALIDATION = 500  # DGL takes as many nodes after the training nodes


def main(target: Path) -> None:
    """Write the three graphs below the folder that DGL downloads to."""
    for name, classes in CLASSES.items():
        address = _get_dgl_url(f"dataset/{name}.zip")  # its hash is part of the folder's name
        folder = target / "home" / ".dgl" / f"{name}_{hashlib.sha1(address.encode()).hexdigest()[:8]}"
        folder.mkdir(parents=True)
        write_graph(folder, name, classes)


def write_graph(folder: Path, name: str, classes: int) -> None:
    """Write one graph whose neighbours and words depend on the class.

    Args:
        folder: where to write it.
        name: name of the graph in its file names.
        classes: number of classes.
    """
    rng = np.random.default_rng(classes)
    train = LABELLED * classes
    size = train + VALIDATION + 20 + TEST
    labels = np.arange(size) % classes
    words = rng.random((size, WORDS)) < 0.05
    words |= (np.arange(WORDS) % classes == labels[:, None]) & (rng.random((size, WORDS)) < 0.15)
    words[:, 0] = True  # no node without a word
    features = sp.csr_matrix(words.astype("float32"))
    hot = np.eye(classes, dtype="int32")[labels]
    neighbours = {node: set() for node in range(size)}
    for node in range(size):
        alike = rng.choice(np.flatnonzero(labels == labels[node]), 1)
        for other in {(node + 1) % size, int(rng.integers(size)), *map(int, alike)} - {node}:
            neighbours[node].add(other)
            neighbours[other].add(node)
    known = size - TEST
    parts = {
        "x": features[:train],
        "y": hot[:train],
        "allx": features[:known],
        "ally": hot[:known],
        "tx": features[known:],
        "ty": hot[known:],
        "graph": {node: sorted(others) for node, others in neighbours.items()},
    }
    for part, value in parts.items():
        (folder / f"ind.{name}.{part}").write_bytes(pickle.dumps(value, protocol=2))
    (folder / f"ind.{name}.test.index").write_text("".join(f"{node}\n" for node in range(known, size)))


if __name__ == "__main__":
    main(Path(sys.argv[2]))
