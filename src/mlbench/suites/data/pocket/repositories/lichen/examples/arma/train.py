"""ARMA filters on a citation graph."""
import argparse
import json
import os

import numpy as np

from lichen import DATASETS, Trainer, load_dataset, tape
from lichen.layers import ARMAConv, Layer


class ARMANet(Layer):
    def __init__(self, graph, args):
        self.rng = np.random.default_rng(args.seed)
        options = dict(num_stacks=args.num_stacks, num_layers=args.num_layers,
                       shared_weights=args.shared_weights, dropout=args.skip_dropout)
        self.inner = ARMAConv(graph.num_features, args.hid_dim, self.rng,
                              activation="relu", **options)
        self.outer = ARMAConv(args.hid_dim, graph.num_classes, self.rng,
                              activation="identity", **options)
        self.rate = args.dropout
        self.prop = graph.normalized("sym", self_loops=False)

    def __call__(self, graph, training=False):
        x = tape.dropout(tape.as_tensor(graph.features), self.rate, self.rng, training)
        x = self.inner(self.prop, x, training)
        x = tape.dropout(x, self.rate, self.rng, training)
        return self.outer(self.prop, x, training)


def build_parser():
    parser = argparse.ArgumentParser(description="ARMA filters on a citation graph")
    parser.add_argument("--dataset", choices=DATASETS, default="cora")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate of Adam")
    parser.add_argument("--lamb", type=float, default=5e-4, help="L2 regularisation")
    parser.add_argument("--hid-dim", type=int, default=16)
    parser.add_argument("--num-stacks", type=int, default=2, help="K, the parallel stacks")
    parser.add_argument("--num-layers", type=int, default=1, help="T, the depth of a stack")
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--skip-dropout", type=float, default=0.25)
    parser.add_argument("--shared-weights", action="store_true")
    parser.add_argument("--row-norm", action="store_true", help="rows of the features sum to one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs", help="folder for the result file")
    return parser


def main(args):
    graph = load_dataset(args.dataset, row_norm=args.row_norm)
    print(f"{graph.name}: {graph.num_nodes} nodes, {graph.num_edges} edges, "
          f"{graph.num_features} features, {graph.num_classes} classes")
    trainer = Trainer(ARMANet(graph, args), args.lr, args.lamb, log_every=max(1, args.epochs // 5))
    history = trainer.fit(graph, args.epochs)
    print(f"best epoch {history.best_epoch}: val {history.best_val:.3f}, "
          f"test {history.test_at_best:.3f}")
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, f"arma_{args.dataset}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"options": vars(args), "losses": history.losses,
                   "val": history.best_val, "test": history.test_at_best}, file, indent=1)
    print(f"written to {path}")


if __name__ == "__main__":
    main(build_parser().parse_args())
