"""Node vectors from biased random walks, and a linear probe on top."""
import argparse
import os

import numpy as np

from lichen import DATASETS, load_dataset
from lichen.walks import biased_walks, context_pairs, skip_gram


def probe(vectors, graph, steps=120, lr=0.3):
    """Softmax regression on the training nodes, accuracy on the test nodes."""
    x = (vectors - vectors.mean(axis=0)) / (vectors.std(axis=0) + 1e-9)
    truth = np.eye(graph.num_classes)[graph.labels[graph.train]]
    weight = np.zeros((x.shape[1], graph.num_classes))
    known = x[graph.train]
    for _ in range(steps):
        score = known @ weight
        score = np.exp(score - score.max(axis=1, keepdims=True))
        score /= score.sum(axis=1, keepdims=True)
        weight -= lr * (known.T @ (score - truth) / len(known) + 1e-3 * weight)
    guess = (x[graph.test] @ weight).argmax(axis=1)
    return float(np.mean(guess == graph.labels[graph.test]))


def build_parser():
    parser = argparse.ArgumentParser(description="Random-walk embedding")
    parser.add_argument("--graph", choices=DATASETS, default="cora")
    parser.add_argument("--embedding_dim", type=int, default=32)
    parser.add_argument("--walk_length", type=int, default=10)
    parser.add_argument("--walks_per_node", type=int, default=4)
    parser.add_argument("--window", type=int, default=3, help="context on each side")
    parser.add_argument("--p", type=float, default=1.0, help="return parameter")
    parser.add_argument("--q", type=float, default=1.0, help="in-out parameter")
    parser.add_argument("--negatives", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save_to", default="vectors", help="folder")
    return parser


def main(args):
    graph = load_dataset(args.graph)
    rng = np.random.default_rng(args.seed)
    walks = biased_walks(graph.adjacency, args.walk_length, args.walks_per_node,
                         args.p, args.q, rng)
    pairs = context_pairs(walks, min(args.window, args.walk_length - 1))
    print(f"{len(walks)} walks of {args.walk_length} nodes, {len(pairs[0])} pairs")
    vectors = skip_gram(pairs, graph.num_nodes, args.embedding_dim, args.epochs, args.lr,
                        args.negatives, rng, out=print)
    print(f"probe accuracy on {args.graph}: {probe(vectors, graph):.4f}")
    os.makedirs(args.save_to, exist_ok=True)
    path = os.path.join(args.save_to, f"{args.graph}.txt")
    np.savetxt(path, vectors, fmt="%.5f")
    print(f"vectors saved to {path}")


if __name__ == "__main__":
    main(build_parser().parse_args())
