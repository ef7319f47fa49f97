"""A citation graph, made up: papers of 40 subjects that cite older papers, rather those of their own subject.

The words of a paper (its features) tell its subject vaguely, those around it much better. Subjects grow and shrink with
the years, so that the papers to tell (from 2019 on) differ from those that are known.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

PAPERS, SUBJECTS, WIDTH = 8000, 40, 64
SIGNAL = {"easy": 0.36, "standard": 0.27, "hard": 0.2}
"""How much the words of a paper tell of its subject, by tier."""
YEARS = np.arange(2008, 2021)
OWN, NEAR = 0.45, 0.2
"""Shares of the citations that go to the same subject, and to one of three subjects near it."""


def cited(rng: np.random.Generator, labels: np.ndarray, order: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Edges (2, m) from a paper to an older one.

    Args:
        order: the papers, oldest first.
        near: three subjects near each subject.
    """
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
    parser.add_argument("--tier", choices=SIGNAL, default="standard")
    args = parser.parse_args()
    rng, signal = np.random.default_rng(args.seed), SIGNAL[args.tier]
    years = rng.choice(YEARS, PAPERS, p=np.arange(2, 15) / np.arange(2, 15).sum())
    start, growth = rng.normal(0, 0.8, SUBJECTS), rng.normal(0, 0.08, SUBJECTS)
    weights = np.exp(start + growth * (years[:, None] - YEARS[0]))
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    labels = np.minimum((rng.random(PAPERS)[:, None] > chances).sum(axis=1), SUBJECTS - 1)
    centres = rng.normal(0, 1, (SUBJECTS, WIDTH))
    features = signal * centres[labels] + rng.normal(0, 1, (PAPERS, WIDTH))
    order = np.lexsort((rng.random(PAPERS), years))
    near = rng.integers(0, SUBJECTS, (SUBJECTS, 3))
    edges = cited(rng, labels, order, near)
    odds = np.log(weights / weights.sum(axis=1, keepdims=True)) + signal * features @ centres.T
    odds -= signal**2 * (centres**2).sum(axis=1) / 2
    write(args.out, features, years, edges, labels, known_neighbours(odds, edges, labels, near))


def known_neighbours(odds: np.ndarray, edges: np.ndarray, labels: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The likeliest subject of each paper for one who knows the rule, and the subjects of all other papers.

    Args:
        odds: of each subject by a paper's year and words, a logarithm.
        edges: (2, m).
        labels: the subjects.
        near: three subjects near each subject.
    """
    cites = np.full((SUBJECTS, SUBJECTS), 1 - OWN - NEAR) * np.bincount(labels, minlength=SUBJECTS) / len(labels)
    cites[np.arange(SUBJECTS), np.arange(SUBJECTS)] += OWN
    np.add.at(cites, (np.repeat(np.arange(SUBJECTS), 3), near.ravel()), NEAR / 3)
    found = odds.copy()
    citing, older = edges
    np.add.at(found, citing, np.log(cites).T[labels[older]])
    np.add.at(found, older, np.log(cites)[labels[citing]])
    return found.argmax(axis=1)


def write(
    out: Path,
    features: np.ndarray,
    years: np.ndarray,
    edges: np.ndarray,
    labels: np.ndarray,
    floor: np.ndarray | None = None,
) -> None:
    """What the agent sees and what the grader needs, of a row, year and subject for each paper, and (2, m) edges.

    Args:
        out: where it is written.
        features: a row for each paper.
        years: of the papers.
        edges: (2, m).
        labels: the subjects.
        floor: the subjects that one tells who knows the rule.
    """
    (out / "visible").mkdir(parents=True)
    (out / "hidden").mkdir()
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
    told = {"perfect": labels[test], "permuted": frame["label"].sample(frac=1, random_state=2).to_numpy()}
    told["trivial"] = np.bincount(labels[valid]).argmax()
    if floor is not None:
        told["floor"] = floor[test]
    for name, subjects in told.items():
        (out / "hidden" / name).mkdir()
        # the rows in another order are as good: what counts is the id
        shown = frame.assign(label=subjects).sample(frac=1, random_state=1)
        shown.to_csv(out / f"hidden/{name}/submission.csv", index=False)


if __name__ == "__main__":
    main()
