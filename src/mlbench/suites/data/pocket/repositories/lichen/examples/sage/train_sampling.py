"""Mini-batch training with sampled neighbourhoods."""
import argparse
import os

import numpy as np

from lichen import DATASETS, load_dataset, tape
from lichen.layers import Layer, SampleConv
from lichen.sampling import NeighbourSampler
from lichen.training import Adam, accuracy


class SAGE(Layer):
    def __init__(self, widths, aggregator, dropout, rng):
        self.convs = [SampleConv(a, b, aggregator, rng) for a, b in zip(widths, widths[1:])]
        self.dropout, self.rng = dropout, rng

    def __call__(self, features, lists, fan_out, training=False):
        h = tape.as_tensor(features[lists[-1]])
        for i, conv in enumerate(self.convs):
            depth = len(lists) - 2 - i
            own = len(lists[depth])
            h = conv(tape.rows(h, 0, own), tape.rows(h, own, h.shape[0]), fan_out[depth])
            if i + 1 < len(self.convs):
                h = tape.dropout(tape.relu(h), self.dropout, self.rng, training)
        return h


def fan_out(text):
    try:
        counts = [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"not a comma-separated list of integers: {text!r}")
    if min(counts) < 1:
        raise argparse.ArgumentTypeError("every fan-out must be positive")
    return counts


def build_parser():
    parser = argparse.ArgumentParser(description="GraphSAGE-style sampling")
    parser.add_argument("dataset", choices=DATASETS)
    parser.add_argument("--fan-out", type=fan_out, default=[5, 10], metavar="N,N",
                        help="sampled neighbours per layer, from the seeds outwards")
    parser.add_argument("--aggregator", choices=["mean", "sum", "max", "pool"], default="mean")
    parser.add_argument("-b", "--batch-size", type=int, default=32)
    parser.add_argument("-e", "--n-epochs", type=int, default=5)
    parser.add_argument("--n-hidden", type=int, default=24)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--wd", type=float, default=1e-4, help="weight decay")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def infer(model, sampler, graph, nodes, counts):
    return model(graph.features, sampler.layers(nodes), counts).data


def main(args):
    graph = load_dataset(args.dataset)
    rng = np.random.default_rng(args.seed)
    sampler = NeighbourSampler(graph.adjacency, args.fan_out, rng)
    widths = [graph.num_features] + [args.n_hidden] * (len(args.fan_out) - 1) + [graph.num_classes]
    model = SAGE(widths, args.aggregator, args.dropout, rng)
    adam = Adam(model.parameters(), args.lr, args.wd)
    for epoch in range(1, args.n_epochs + 1):
        order = rng.permutation(graph.train)
        losses = []
        for start in range(0, len(order), args.batch_size):
            seeds = order[start:start + args.batch_size]
            logits = model(graph.features, sampler.layers(seeds), args.fan_out, training=True)
            loss = tape.cross_entropy(logits, graph.labels[seeds])
            loss.backward()
            adam.step()
            losses.append(float(loss.data))
        val = accuracy(infer(model, sampler, graph, graph.val, args.fan_out),
                       graph.labels[graph.val])
        print(f"Epoch {epoch:02d} | Loss {np.mean(losses):.4f} | Val Acc {val:.4f}")
    test = accuracy(infer(model, sampler, graph, graph.test[:100], args.fan_out),
                    graph.labels[graph.test[:100]])
    print(f"Test Acc {test:.4f}")
    os.makedirs("runs", exist_ok=True)
    np.savez("runs/sage.npz", *[p.data for p in model.parameters()])


if __name__ == "__main__":
    main(build_parser().parse_args())
