"""A citation graph, made up: papers of 40 subjects that cite older papers, rather those of their own subject.

The words of a paper (its features) tell its subject vaguely, those around it much better. Subjects grow and shrink with
the years, so that the papers to tell (from 2019 on) differ from those that are known.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

PAPERS, SUBJECTS, WIDTH = 8000, 40, 64
YEARS = np.arange(2008, 2021)
OWN, NEAR = 0.45, 0.2
"""Shares of the citations that go to the same subject, and to one of three subjects near it."""


def cited(rng: np.random.Generator, labels: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Edges (2, m) from a paper to an older one; `order` holds the papers, oldest first."""
    near = rng.integers(0, SUBJECTS, (SUBJECTS, 3))
    before: list[list[int]] = [[] for _ in range(SUBJECTS)]
    edges = []
    for place, paper in enumerate(order):
        for _ in range(min(place, rng.poisson(4))):
            chance, subject = rng.random(), labels[paper]
            if chance > OWN:
                subject = rng.choice(near[subject]) if chance < OWN + NEAR else None
            older = order[:place] if subject is None else before[subject]
            if len(older):
                # papers that are often cited are cited more often: one of the older half, rather
                edges.append((paper, older[int(len(older) * rng.random() ** 1.3)]))
        before[labels[paper]].append(paper)
    return np.unique(np.array(edges), axis=0).T


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    years = rng.choice(YEARS, PAPERS, p=np.arange(2, 15) / np.arange(2, 15).sum())
    start, growth = rng.normal(0, 0.8, SUBJECTS), rng.normal(0, 0.08, SUBJECTS)
    weights = np.exp(start + growth * (years[:, None] - YEARS[0]))
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    labels = np.minimum((rng.random(PAPERS)[:, None] > chances).sum(axis=1), SUBJECTS - 1)
    centres = rng.normal(0, 1, (SUBJECTS, WIDTH))
    features = 0.27 * centres[labels] + rng.normal(0, 1, (PAPERS, WIDTH))
    order = np.lexsort((rng.random(PAPERS), years))
    write(args.out, features, years, cited(rng, labels, order), labels)


def write(out: Path, features: np.ndarray, years: np.ndarray, edges: np.ndarray, labels: np.ndarray) -> None:
    """What the agent sees and what the grader needs, of a row, year and subject for each paper, and (2, m) edges."""
    for part in ("visible", "hidden/perfect", "hidden/permuted"):
        (out / part).mkdir(parents=True)
    nodes = np.arange(len(labels))
    train, valid, test = nodes[years <= 2017], nodes[years == 2018], nodes[years >= 2019]
    np.savez_compressed(
        out / "visible/graph.npz",
        node_feat=features.astype(np.float16),
        node_year=years.astype(np.int16),
        edge_index=edges.astype(np.int32),
        train_idx=train,
        valid_idx=valid,
        test_idx=test,
        # of the papers to tell nothing is said: -1
        node_label=np.where(years >= 2019, -1, labels).astype(np.int16),
    )
    frame = pd.DataFrame({"node": test, "label": labels[test]})
    frame.to_csv(out / "hidden/answers.csv", index=False)
    # the rows in another order are as good: what counts is the id
    frame.sample(frac=1, random_state=1).to_csv(out / "hidden/perfect/submission.csv", index=False)
    permuted = frame.assign(label=frame["label"].sample(frac=1, random_state=2).to_numpy())
    permuted.to_csv(out / "hidden/permuted/submission.csv", index=False)


if __name__ == "__main__":
    main()
