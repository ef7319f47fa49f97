"""Attention over neighbours, full graph."""
import argparse
import os

import numpy as np

from lichen import DATASETS, Trainer, load_dataset, tape
from lichen.layers import AttentionConv, EdgeView, Layer


class GAT(Layer):
    def __init__(self, graph, args):
        self.rng = np.random.default_rng(args.seed)
        self.edges = EdgeView(graph)
        options = dict(slope=args.negative_slope, attn_drop=args.attn_drop,
                       residual=args.residual, rng=self.rng)
        self.inner = AttentionConv(graph.num_features, args.num_hidden, args.num_heads, **options)
        self.outer = AttentionConv(args.num_hidden * args.num_heads, graph.num_classes,
                                   args.num_out_heads, merge="mean", **options)
        self.rate = args.in_drop

    def __call__(self, graph, training=False):
        x = tape.dropout(tape.as_tensor(graph.features), self.rate, self.rng, training)
        x = tape.elu(self.inner(self.edges, x, training))
        x = tape.dropout(x, self.rate, self.rng, training)
        return self.outer(self.edges, x, training)


def build_parser():
    p = argparse.ArgumentParser()
    p.add_argument("--dataset", required=True, choices=DATASETS, help="which citation graph")
    p.add_argument("--num-heads", type=int, default=4, help="heads of the hidden layer")
    p.add_argument("--num-out-heads", type=int, default=1, help="heads of the output layer")
    p.add_argument("--num-hidden", type=int, default=8, help="units per head")
    p.add_argument("--in-drop", type=float, default=0.6)
    p.add_argument("--attn-drop", type=float, default=0.6)
    p.add_argument("--negative-slope", type=float, default=0.2, help="of the leaky relu")
    p.add_argument("--residual", action="store_true")
    p.add_argument("--learning-rate", type=float, default=0.005)
    p.add_argument("--weight-decay", type=float, default=5e-4)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--seed", type=int, default=1)
    return p


def main(args):
    graph = load_dataset(args.dataset)
    model = GAT(graph, args)
    count = sum(p.data.size for p in model.parameters())
    print(f"{args.dataset}: {graph.num_nodes} nodes, {graph.num_edges} edges | {count} parameters")
    trainer = Trainer(model, args.learning_rate, args.weight_decay, log_every=2)
    history = trainer.fit(graph, args.epochs)
    print(f"test accuracy {history.test_at_best:.4f} (best epoch {history.best_epoch})")
    os.makedirs("runs", exist_ok=True)
    np.savez(os.path.join("runs", f"gat_{args.dataset}.npz"),
             *[p.data for p in model.parameters()])


if __name__ == "__main__":
    main(build_parser().parse_args())
