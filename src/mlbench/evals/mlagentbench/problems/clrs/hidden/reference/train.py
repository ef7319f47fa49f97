"""Which node comes before the target: what an edge costs is fitted to the pointers, then shortest paths are followed.

The cost of an edge is a power of its weight, a toll, and a share of how many neighbours its ends have. The three
numbers are those with which the paths through the training graphs agree best with what is told of them.
"""

import os

import numpy as np
import pandas as pd

SEED = int(os.environ.get("SEED", "0"))


def told(weights: np.ndarray, power: float, toll: float, crowd: float) -> np.ndarray:
    """Pointers (graph, source, target) of some graphs (graph, node, node) under a cost of edges."""
    many = (weights > 0).sum(axis=1) / 4
    costs = np.maximum(weights, 1e-9) ** power + toll + crowd * (many[:, :, None] + many[:, None]) / 2
    far = np.where(weights > 0, costs, np.inf)
    nodes = weights.shape[1]
    far[:, range(nodes), range(nodes)] = 0
    found = np.broadcast_to(np.arange(nodes)[:, None], weights.shape).copy()
    for k in range(nodes):
        through = far[:, :, [k]] + far[:, [k]]
        found = np.where(through < far, found[:, [k]], found)
        far = np.minimum(far, through)
    return found


with np.load("train.npz") as arrays:
    graphs, pointers = arrays["A"], arrays["Pi"]
with np.load("test.npz") as arrays:
    asked = arrays["A"]
rng = np.random.default_rng(SEED)


def agreement(rule: np.ndarray) -> float:
    power, toll, crowd = rule
    return float((told(graphs, np.exp(power), np.exp(toll), np.exp(crowd)) == pointers).mean())


# the costs of edges may be scaled as one likes, so that a cost with smaller tolls is another rule, and all are tried
best = np.array([0.0, -1.0, -1.0])
score = agreement(best)
for spread in (0.8, 0.4, 0.2, 0.1, 0.05, 0.02):
    for _ in range(40):
        tried = best + rng.normal(0, spread, 3)
        if (found := agreement(tried)) > score:
            best, score = tried, found
print(f"training: {score:.3f} of the pointers")
test = pd.read_csv("test.csv")
rows = told(asked, *np.exp(best)).reshape(len(test), -1)
test["pointers"] = [" ".join(map(str, row)) for row in rows]
test.to_csv("submission.csv", index=False)
