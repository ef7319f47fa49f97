import unittest

import numpy as np

from lichen import load_dataset, tape
from lichen.layers import ARMAConv, AttentionConv, EdgeView
from lichen.walks import biased_walks


def numeric(function, tensor, eps=1e-6):
    grad = np.zeros_like(tensor.data)
    for index in np.ndindex(tensor.data.shape):
        keep = tensor.data[index]
        tensor.data[index] = keep + eps
        up = float(function().data)
        tensor.data[index] = keep - eps
        down = float(function().data)
        tensor.data[index] = keep
        grad[index] = (up - down) / (2 * eps)
    return grad


class Gradients(unittest.TestCase):
    def setUp(self):
        self.graph = load_dataset("acm")
        self.rng = np.random.default_rng(0)

    def check(self, function, parameters):
        function().backward()
        for p in parameters:
            np.testing.assert_allclose(p.grad, numeric(function, p), atol=1e-5)

    def test_attention(self):
        conv = AttentionConv(5, 2, 2, self.rng, residual=True)
        x = tape.as_tensor(self.graph.features[:, :5])
        edges = EdgeView(self.graph)
        self.check(lambda: tape.cross_entropy(conv(edges, x), self.graph.labels % 4),
                   conv.parameters())

    def test_arma(self):
        conv = ARMAConv(4, 3, self.rng, num_stacks=2, num_layers=2, activation="tanh")
        x = tape.as_tensor(self.graph.features[:, :4])
        prop = self.graph.normalized("sym", self_loops=False)
        self.check(lambda: tape.cross_entropy(conv(prop, x), self.graph.labels),
                   conv.parameters())


class Data(unittest.TestCase):
    def test_same_seed_same_graph(self):
        a, b = load_dataset("cora"), load_dataset("cora")
        self.assertEqual((a.adjacency != b.adjacency).nnz, 0)
        np.testing.assert_array_equal(a.features, b.features)

    def test_nobody_is_alone(self):
        for name in ("cora", "citeseer", "pubmed", "dblp", "acm"):
            self.assertGreater(load_dataset(name).adjacency.sum(axis=1).min(), 0)

    def test_walks_follow_edges(self):
        graph = load_dataset("dblp")
        walks = biased_walks(graph.adjacency, 6, 1, 0.5, 2.0, np.random.default_rng(1))
        for a, b in zip(walks[:, :-1].ravel(), walks[:, 1:].ravel()):
            self.assertEqual(graph.adjacency[a, b], 1.0)


if __name__ == "__main__":
    unittest.main()
