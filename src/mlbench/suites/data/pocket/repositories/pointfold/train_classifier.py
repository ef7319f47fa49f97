import argparse
import os

import numpy as np

from pointfold import nets
from pointfold.classifier import accuracy, build_classifier
from pointfold.data import batches, class_names, jitter, labelled_clouds, turn
from pointfold.shapes import FAMILIES


def options():
    parser = argparse.ArgumentParser(description="Point cloud classification (training)")
    parser.add_argument("--exp_name", type=str, default="exp_classifier", help="name of the experiment")
    # data
    parser.add_argument("--family", default="solids", choices=sorted(FAMILIES), help="family of shapes")
    parser.add_argument("--num_points", default=48, type=int, help="points per cloud")
    parser.add_argument("--per_class", default=20, type=int, help="training clouds per class")
    parser.add_argument("--use_normals", action="store_true", help="six channels instead of three")
    parser.add_argument("--augment", action="store_true", help="turn about z and jitter while training")
    parser.add_argument("-j", "--workers", default=2, type=int, help="threads that build the clouds")
    # network
    parser.add_argument("--pooling", default="max", choices=nets.POOLINGS, help="symmetric function")
    parser.add_argument("--emb_dims", default=32, type=int, help="width of the cloud's code")
    # training
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--epochs", default=8, type=int)
    parser.add_argument("-b", "--batch_size", default=16, type=int)
    parser.add_argument("--optimizer", default="Adam", choices=nets.OPTIMIZERS)
    parser.add_argument("--lr", default=0.005, type=float)
    return parser


def main(args):
    kind = dict(num_points=args.num_points, normals=args.use_normals, workers=args.workers)
    clouds, labels = labelled_clouds(args.family, args.per_class, seed=args.seed, **kind)
    val_clouds, val_labels = labelled_clouds(args.family, 8, seed=args.seed + 1, **kind)
    names = class_names(args.family)
    print(f"{len(clouds)} training clouds of {len(names)} classes: {', '.join(names)}")
    net = build_classifier(clouds.shape[-1], args.emb_dims, len(names), args.pooling, args.seed)
    optimizer = nets.Optimizer(args.optimizer, net.slots(), args.lr)
    rng = np.random.default_rng(args.seed)
    path = os.path.join("checkpoints", args.exp_name, "best_model.json")
    best = -1.0
    for epoch in range(1, args.epochs + 1):
        source = clouds
        if args.augment:
            source = jitter(turn(clouds, "z", rng), 0.01, rng)
        losses = []
        for index in batches(rng.permutation(len(source)), args.batch_size):
            loss, grad = nets.softmax_loss(net.forward(source[index]), labels[index])
            net.backward(grad)
            optimizer.step()
            losses.append(loss)
        val = accuracy(net, val_clouds, val_labels)
        print(f"EPOCH:: {epoch}, Training Loss: {np.mean(losses):.4f}, Val Accuracy: {val:.4f}")
        if val > best:
            best = val
            nets.save(path, net.slots(), {
                "family": args.family, "pooling": args.pooling, "emb_dims": args.emb_dims,
                "normals": args.use_normals, "epoch": epoch})
    print(f"Best Val Accuracy: {best:.4f}, saved in {path}")


if __name__ == "__main__":
    main(options().parse_args())
