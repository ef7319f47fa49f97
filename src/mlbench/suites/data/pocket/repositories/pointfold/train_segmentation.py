import argparse
import os

import numpy as np

from pointfold import nets
from pointfold.data import batches, build
from pointfold.geometry import knn
from pointfold.shapes import PARTS, sample_shape


def options():
    parser = argparse.ArgumentParser(description="Part segmentation (training)")
    parser.add_argument("--exp_name", type=str, default="exp_segmentation")
    parser.add_argument("--category", required=True, choices=sorted(PARTS), help="shape with parts")
    parser.add_argument("--num_points", default=56, type=int)
    parser.add_argument("--num_shapes", default=64, type=int, help="training shapes")
    parser.add_argument("-k", default=8, type=int, metavar="K", dest="neighbours",
                        help="neighbours that describe a point")
    parser.add_argument("--use_global", action="store_true", help="append the cloud's code to each point")
    parser.add_argument("--balance", action="store_true", help="weigh rare parts more")
    parser.add_argument("-j", "--workers", default=2, type=int)
    parser.add_argument("-b", "--batch_size", default=8, type=int)
    parser.add_argument("--epochs", default=8, type=int)
    parser.add_argument("--optimizer", default="Adam", choices=nets.OPTIMIZERS)
    parser.add_argument("--lr", default=0.005, type=float)
    parser.add_argument("--seed", type=int, default=1234)
    return parser


def describe(xyz, k):
    """Coordinates, and mean and spread of the offsets to the k nearest points."""
    offset = xyz[knn(xyz, k)] - xyz[:, None]
    return np.hstack([xyz, offset.mean(axis=1), offset.std(axis=1)])


def shapes(args, count, seed):
    def make(i):
        xyz, _, parts = sample_shape(args.category, args.num_points, np.random.default_rng([seed, i]))
        return describe(xyz, args.neighbours), parts

    return [np.stack(column) for column in zip(*build(make, count, args.workers))]


class SegmentationNet:
    def __init__(self, parts, use_global, seed, width=24):
        rng = np.random.default_rng(seed)
        self.local = nets.mlp([9, width, width], rng)
        self.pool = nets.Pool("max") if use_global else None
        self.head = nets.mlp([width * (2 if use_global else 1), width, parts], rng, last_relu=False)
        self.width = width

    def slots(self):
        return self.local.slots() + self.head.slots()

    def forward(self, x):
        h = self.local.forward(x)
        if self.pool:
            code = self.pool.forward(h)[:, None]
            h = np.concatenate([h, np.broadcast_to(code, h.shape)], axis=2)
        return self.head.forward(h)

    def backward(self, g):
        g = self.head.backward(g)
        if self.pool:
            g = g[..., :self.width] + self.pool.backward(g[..., self.width:].sum(axis=1))
        self.local.backward(g)


def mean_iou(guess, truth, parts):
    scores = []
    for part in range(parts):
        union = np.sum((guess == part) | (truth == part))
        if union:
            scores.append(np.sum((guess == part) & (truth == part)) / union)
    return float(np.mean(scores))


def main(args):
    if not 0 < args.neighbours < args.num_points:
        raise SystemExit("-k must be positive and smaller than the number of points")
    parts = PARTS[args.category]
    x, y = shapes(args, args.num_shapes, args.seed)
    val_x, val_y = shapes(args, 24, args.seed + 1)
    share = np.bincount(y.ravel(), minlength=parts) / y.size
    print(f"{args.category}: {len(x)} shapes, {parts} parts, shares {np.round(share, 2).tolist()}")
    weight = 1.0 / np.maximum(share, 1e-3) / parts if args.balance else np.ones(parts)
    net = SegmentationNet(parts, args.use_global, args.seed)
    optimizer = nets.Optimizer(args.optimizer, net.slots(), args.lr)
    rng = np.random.default_rng(args.seed)
    path = os.path.join("checkpoints", args.exp_name, "best_model.json")
    best = -1.0
    for epoch in range(1, args.epochs + 1):
        losses = []
        for index in batches(rng.permutation(len(x)), args.batch_size):
            loss, grad = nets.softmax_loss(net.forward(x[index]), y[index])
            net.backward(grad * weight[y[index]][..., None])
            optimizer.step()
            losses.append(loss)
        guess = net.forward(val_x).argmax(axis=2)
        iou = mean_iou(guess, val_y, parts)
        print(f"EPOCH:: {epoch}, Training Loss: {np.mean(losses):.4f}, "
              f"Accuracy: {np.mean(guess == val_y):.4f}, mIoU: {iou:.4f}")
        if iou > best:
            best = iou
            nets.save(path, net.slots(), {"category": args.category, "k": args.neighbours,
                                          "use_global": args.use_global, "epoch": epoch})
    print(f"Best mIoU: {best:.4f}, saved in {path}")


if __name__ == "__main__":
    main(options().parse_args())
