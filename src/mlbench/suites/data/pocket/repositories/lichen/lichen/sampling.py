"""Uniform neighbour sampling for mini-batches."""
import numpy as np


class NeighbourSampler:
    """Draws, with replacement, `fan_out[i]` neighbours per node and layer."""

    def __init__(self, adjacency, fan_out, rng):
        self.indptr, self.indices = adjacency.indptr, adjacency.indices
        self.degree = np.diff(self.indptr)
        self.fan_out, self.rng = list(fan_out), rng

    def neighbours(self, nodes, count):
        offset = (self.rng.random((len(nodes), count)) * self.degree[nodes][:, None]).astype(np.int64)
        return self.indices[self.indptr[nodes][:, None] + offset].ravel()

    def layers(self, seeds):
        """Node lists from the seeds outwards; list i+1 holds sampled neighbours of list i."""
        lists = [np.asarray(seeds)]
        for count in self.fan_out:
            own = lists[-1]
            lists.append(np.concatenate([own, self.neighbours(own, count)]))
        return lists
