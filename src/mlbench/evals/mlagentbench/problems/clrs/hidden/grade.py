"""The share of right pointers, over all graphs, sources and targets."""

import numpy as np
from mlbench_grading import Invalid, joined, main


def grade(workspace: str, hidden: str) -> float:
    right = np.load(f"{hidden}/pointers.npy", allow_pickle=False)
    graphs, nodes, _ = right.shape
    ids = [f"{number}_{source}" for number in range(graphs) for source in range(nodes)]
    rows = joined(f"{workspace}/submission.csv", ids, ["pointers"], "id")
    found = np.array([pointers(row.cells["pointers"], nodes, row.where) for row in rows])
    return float((found == right.reshape(-1, nodes)).mean())


def pointers(text: str, nodes: int, where: str) -> list[int]:
    """One node a target."""
    words = text.split()
    if len(words) != nodes:
        raise Invalid(f"{where}: {len(words)} pointers, wanted are {nodes}")
    known = {str(node): node for node in range(nodes)}
    for word in words:
        if word not in known:
            raise Invalid(f"{where}: {word!r:.40} is no node; they are the numbers 0 to {nodes - 1}")
    return [known[word] for word in words]


main(grade)
