"""Attributed graphs and the matrices that one derives from them."""
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

NORMS = ("sym", "row", "col", "none")


@dataclass
class Graph:
    """An undirected graph with node features, labels and a split."""

    name: str
    adjacency: sp.csr_matrix
    features: np.ndarray
    labels: np.ndarray
    train: np.ndarray
    val: np.ndarray
    test: np.ndarray

    @property
    def num_nodes(self):
        return self.adjacency.shape[0]

    @property
    def num_edges(self):
        return self.adjacency.nnz // 2

    @property
    def num_features(self):
        return self.features.shape[1]

    @property
    def num_classes(self):
        return int(self.labels.max()) + 1

    def homophily(self):
        """Share of edges whose two ends carry the same label."""
        coo = self.adjacency.tocoo()
        return float(np.mean(self.labels[coo.row] == self.labels[coo.col]))

    def normalized(self, norm="sym", self_loops=True):
        """The propagation matrix: D^-1/2 A D^-1/2, D^-1 A, A D^-1, or A itself."""
        if norm not in NORMS:
            raise ValueError(f"unknown norm {norm!r}, expected one of {NORMS}")
        matrix = self.adjacency.astype(np.float64)
        if self_loops:
            matrix = matrix + sp.identity(self.num_nodes, format="csr")
        degree = np.asarray(matrix.sum(axis=1)).ravel()
        degree[degree == 0] = 1.0
        if norm == "sym":
            scale = sp.diags(degree ** -0.5)
            matrix = scale @ matrix @ scale
        elif norm == "row":
            matrix = sp.diags(1.0 / degree) @ matrix
        elif norm == "col":
            matrix = matrix @ sp.diags(1.0 / degree)
        return sp.csr_matrix(matrix)

    def edge_index(self, self_loops=True):
        """Sources, destinations and row pointer, sorted by destination."""
        matrix = self.adjacency
        if self_loops:
            matrix = matrix + sp.identity(self.num_nodes, format="csr")
        matrix = sp.csr_matrix(matrix)
        matrix.sort_indices()
        owner = np.repeat(np.arange(self.num_nodes), np.diff(matrix.indptr))
        return matrix.indices.astype(np.int64), owner, matrix.indptr.astype(np.int64)


def incidence(index, num_nodes):
    """One-hot rows: entry (edge, index[edge]) is one."""
    count = len(index)
    return sp.csr_matrix((np.ones(count), (np.arange(count), index)), shape=(count, num_nodes))
