"""Label propagation: no weights, no features."""
import argparse
import os

import numpy as np

from lichen import DATASETS, load_dataset

NORMS = {"DAD": "sym", "DA": "row", "AD": "col", "A": "none"}


def propagate(matrix, start, alpha, steps, clamp=None, tolerance=0.0):
    """Repeat  Y <- alpha * M Y + (1 - alpha) * Y0, clamping known nodes if asked."""
    state = start
    for step in range(1, steps + 1):
        new = alpha * (matrix @ state) + (1.0 - alpha) * start
        new = np.clip(new, 0.0, 1.0)
        if clamp is not None:
            new[clamp] = start[clamp]
        change = float(np.abs(new - state).max())
        state = new
        if step == 1 or step % 5 == 0:
            print(f"step {step:3d}  largest change {change:.2e}")
        if change < tolerance:
            print(f"settled after {step} steps")
            break
    return state


def build_parser():
    parser = argparse.ArgumentParser(description="Label propagation")
    parser.add_argument("--data", dest="dataset", choices=DATASETS, required=True)
    parser.add_argument("--alpha", type=float, default=0.9, help="weight of the neighbours")
    parser.add_argument("--k", type=int, default=20, help="propagation steps")
    parser.add_argument("--adj", choices=list(NORMS), default="DAD",
                        help="how the adjacency matrix is normalised")
    parser.add_argument("--per-class", type=int, default=12, help="known labels of every class")
    parser.add_argument("--clamp", action="store_true", help="known labels never change")
    parser.add_argument("--tol", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0, help="of the generated graph")
    return parser


def main(args):
    if not 0.0 < args.alpha <= 1.0:
        build_parser().error("--alpha must lie in (0, 1]")
    graph = load_dataset(args.dataset, seed=args.seed, train_per_class=args.per_class)
    matrix = graph.normalized(NORMS[args.adj], self_loops=False)
    start = np.zeros((graph.num_nodes, graph.num_classes))
    start[graph.train, graph.labels[graph.train]] = 1.0
    clamp = graph.train if args.clamp else None
    state = propagate(matrix, start, args.alpha, args.k, clamp, args.tol)
    guess = state.argmax(axis=1)
    for split in ("train", "val", "test"):
        nodes = getattr(graph, split)
        print(f"{split:5s} accuracy {np.mean(guess[nodes] == graph.labels[nodes]):.4f}")
    os.makedirs("output", exist_ok=True)
    np.savetxt(f"output/{args.dataset}_labels.txt", guess, fmt="%d")


if __name__ == "__main__":
    main(build_parser().parse_args())
