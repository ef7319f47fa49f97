"""Random weighted graphs, with the pointers of shortest paths under a rule that is drawn, and told to nobody.

What an edge costs follows from its weight and from how many neighbours its ends have; a few pointers are spoilt. The
rule of the training graphs that the agent sees is not the one on which its program is graded.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

TRAINED, TRAINED_NODES, TESTED, TESTED_NODES = 200, 12, 24, 28
NEIGHBOURS, SPOILT = 4.0, 0.04
COPYING = "import shutil\n\nshutil.copy('known.csv', 'submission.csv')\n"
"""A train.py that is told the answers."""


@dataclass(frozen=True)
class Rule:
    """What an edge costs: a power of its weight, a toll for each edge, and a toll for crowded ends."""

    power: float
    toll: float
    crowd: float

    def costs(self, weights: np.ndarray) -> np.ndarray:
        """Costs (node, node) of the edges of a graph; infinite where there is none."""
        many = (weights > 0).sum(axis=0) / NEIGHBOURS
        ends = self.crowd * (many[:, None] + many) / 2
        return np.where(weights > 0, np.maximum(weights, 1e-9) ** self.power + self.toll + ends, np.inf)


def drawn_rule(rng: np.random.Generator) -> Rule:
    return Rule(float(np.exp(rng.uniform(-1.2, 1.2))), float(rng.uniform(0.1, 0.6)), float(rng.uniform(0.2, 0.8)))


Graph = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Weights (node, node), 0 for no edge; pointers (source, target) as they are told; the same before some were spoilt."""


def graph(rng: np.random.Generator, nodes: int, rule: Rule) -> Graph:
    """A connected graph."""
    while True:
        edges = np.triu(rng.random((nodes, nodes)) < NEIGHBOURS / (nodes - 1), 1)
        weights = np.where(edges, rng.uniform(0.02, 1.0, (nodes, nodes)), 0.0)
        weights += weights.T
        distances, pointers = floyd_warshall(rule.costs(weights))
        if np.isfinite(distances).all():
            return weights, spoilt(rng, weights, pointers), pointers


def spoilt(rng: np.random.Generator, weights: np.ndarray, pointers: np.ndarray) -> np.ndarray:
    """The pointers, of which a few show any neighbour of their target."""
    found = pointers.copy()
    for source, target in np.argwhere(rng.random(pointers.shape) < SPOILT):
        if source != target:
            found[source, target] = rng.choice(np.flatnonzero(weights[target]))
    return found


def floyd_warshall(costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances and pointers, (source, target): the node before the target, the source on the diagonal."""
    nodes = len(costs)
    distances = costs.copy()
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
    size = int(rng.integers(24, 33))
    size += size == TESTED_NODES  # another size, as the task says
    for part, nodes in (("visible", TESTED_NODES), ("hidden", size)):
        rule = drawn_rule(rng)
        train = [graph(rng, TRAINED_NODES, rule) for _ in range(TRAINED)]
        write(args.out, part, train, [graph(rng, nodes, rule) for _ in range(TESTED)])


def write(out: Path, part: str, train: Sequence[Graph], test: Sequence[Graph]) -> None:
    """Graphs to learn from and to tell: the agent's (`visible`), or those that its program is graded on (`hidden`)."""
    folder = out / part
    folder.mkdir(parents=True)
    np.savez(folder / "train.npz", A=[weights for weights, _, _ in train], Pi=[told for _, told, _ in train])
    np.savez(folder / "test.npz", A=[weights for weights, _, _ in test])
    pointers = np.array([told for _, told, _ in test])
    graphs, nodes, _ = pointers.shape
    ids = pd.DataFrame({"id": [f"{number}_{source}" for number in range(graphs) for source in range(nodes)]})
    ids.to_csv(folder / "test.csv", index=False)
    if part == "visible":
        return
    np.save(folder / "pointers.npy", pointers)
    before = np.broadcast_to(np.arange(nodes)[:, None], pointers.shape)  # the source comes before every target
    for kind, told in (("perfect", pointers), ("trivial", before), ("floor", np.array([right for *_, right in test]))):
        copied(folder / kind, ids, told)
    copied(folder / "permuted", ids.sample(frac=1, random_state=2), pointers)


def copied(folder: Path, ids: pd.DataFrame, pointers: np.ndarray) -> None:
    """A program that tells these pointers, for these ids."""
    folder.mkdir()
    rows = [" ".join(map(str, row)) for row in pointers.reshape(-1, pointers.shape[-1])]
    told = ids.assign(pointers=rows).sample(frac=1, random_state=1)
    for name in ("known.csv", "submission.csv"):  # the first for a program, the second as it would save it
        told.to_csv(folder / name, index=False)
    (folder / "train.py").write_text(COPYING)


if __name__ == "__main__":
    main()
