"""Random weighted graphs, with what Floyd and Warshall's algorithm finds of them."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

TRAINED, TRAINED_NODES, TESTED, TESTED_NODES = 200, 12, 24, 28
NEIGHBOURS = 4.0


def graph(rng: np.random.Generator, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """A connected graph: weights (node, node), 0 for no edge, and pointers (source, target)."""
    while True:
        edges = np.triu(rng.random((nodes, nodes)) < NEIGHBOURS / (nodes - 1), 1)
        weights = np.where(edges, rng.uniform(0.02, 1.0, (nodes, nodes)), 0.0)
        weights += weights.T
        distances, pointers = floyd_warshall(weights)
        if np.isfinite(distances).all():
            return weights, pointers


def floyd_warshall(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances and pointers, (source, target): the node before the target, the source on the diagonal."""
    nodes = len(weights)
    distances = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(distances, 0.0)
    pointers = np.repeat(np.arange(nodes)[:, None], nodes, axis=1)
    for k in range(nodes):
        through = distances[:, [k]] + distances[[k], :]
        pointers = np.where(through < distances, pointers[[k], :], pointers)
        distances = np.minimum(distances, through)
    return distances, pointers


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    train = [graph(rng, TRAINED_NODES) for _ in range(TRAINED)]
    test = [graph(rng, TESTED_NODES) for _ in range(TESTED)]
    write(args.out, train, test)


def write(
    out: Path, train: Sequence[tuple[np.ndarray, np.ndarray]], test: Sequence[tuple[np.ndarray, np.ndarray]]
) -> None:
    """What the agent sees and what the grader needs, of graphs: weights and pointers of each, as `graph` gives them."""
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (out / part).mkdir(parents=True)
    np.savez(out / "visible/train.npz", A=[weights for weights, _ in train], Pi=[found for _, found in train])
    np.savez(out / "visible/test.npz", A=[weights for weights, _ in test])
    pointers = np.array([found for _, found in test])
    np.save(out / "hidden/pointers.npy", pointers)
    graphs, nodes, _ = pointers.shape
    answers = pd.DataFrame(
        {
            "id": [f"{number}_{source}" for number in range(graphs) for source in range(nodes)],
            "pointers": [" ".join(map(str, row)) for row in pointers.reshape(-1, nodes)],
        }
    )
    answers[["id"]].to_csv(out / "visible/test.csv", index=False)
    # the rows in another order are as good: what counts is the id
    answers.sample(frac=1, random_state=1).to_csv(out / "hidden/perfect/submission.csv", index=False)
    permuted = answers.assign(id=answers.id.sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(out / "hidden/permuted/submission.csv", index=False)


if __name__ == "__main__":
    main()
