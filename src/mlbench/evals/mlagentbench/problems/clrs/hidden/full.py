"""Graphs of the published sizes, sampled as CLRS-30 does: 1,000 of 16 nodes to learn from, 32 of 64 to tell.

Nothing is fetched: RAW is empty. What CLRS calls edges is a coin for each pair of nodes and direction, and both have to
fall right; a weight is the root of the product of two, so that it is the same in both directions.
"""

import numpy as np
from mlbench_preparing import called
from prepare import Graph, floyd_warshall, write

TRAINED, TRAINED_NODES, TESTED, TESTED_NODES = 1000, 16, 32, 64
CHANCE, LEAST = 0.5, 1e-3


def graph(rng: np.random.Generator, nodes: int) -> Graph:
    """Weights (node, node), 0 for no edge, and pointers (source, target): the source, where no path leads there."""
    coins = rng.random((nodes, nodes)) < CHANCE
    weights = rng.random((nodes, nodes))
    weights = np.where(coins & coins.T, np.sqrt(weights * weights.T + LEAST), 0.0)
    # CLRS also draws edges from a node to itself: they are on no shortest path, and would change the diagonal alone
    np.fill_diagonal(weights, 0.0)
    pointers = floyd_warshall(np.where(weights > 0, weights, np.inf))[1]
    return weights, pointers, pointers


def main() -> None:
    args = called()
    rng = np.random.default_rng(args.seed)
    for part in ("visible", "hidden"):
        train = [graph(rng, TRAINED_NODES) for _ in range(TRAINED)]
        write(args.out, part, train, [graph(rng, TESTED_NODES) for _ in range(TESTED)])


if __name__ == "__main__":
    main()
