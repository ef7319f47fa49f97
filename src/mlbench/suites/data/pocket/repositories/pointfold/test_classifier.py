import argparse
import os

import numpy as np

from pointfold import nets
from pointfold.classifier import build_classifier
from pointfold.data import batches, class_names, jitter, labelled_clouds, turn


def options():
    parser = argparse.ArgumentParser(description="Point cloud classification (testing)")
    parser.add_argument("--pretrained", required=True, metavar="PATH", help="checkpoint (json)")
    parser.add_argument("--num_points", default=64, type=int)
    parser.add_argument("--per_class", default=25, type=int, help="test clouds per class")
    parser.add_argument("--rotation", default="none", choices=["none", "z", "so3"])
    parser.add_argument("--noise", default=0.0, type=float, help="sigma of the jitter")
    parser.add_argument("--keep", default=1.0, type=float, help="share of points behind a random cut")
    parser.add_argument("--confusion", action="store_true", help="print the confusion matrix")
    parser.add_argument("-j", "--workers", default=2, type=int)
    parser.add_argument("-b", "--batch_size", default=32, type=int)
    parser.add_argument("--seed", type=int, default=77)
    return parser


def cut(clouds, keep, rng):
    """Keep the points that lie furthest along a random direction."""
    count = max(4, int(round(keep * clouds.shape[1])))
    out = []
    for cloud in clouds:
        order = np.argsort(-cloud[:, :3] @ rng.normal(size=3))
        out.append(cloud[order[:count]])
    return np.stack(out)


def main(args):
    try:
        meta, weights = nets.read(args.pretrained)
    except OSError as error:
        raise SystemExit(f"cannot read the checkpoint: {error}")
    if not 0.0 < args.keep <= 1.0:
        raise SystemExit("--keep must lie in (0, 1]")
    names = class_names(meta["family"])
    net = build_classifier(6 if meta["normals"] else 3, meta["emb_dims"], len(names),
                           meta["pooling"], 0)
    nets.restore(net.slots(), weights)
    clouds, labels = labelled_clouds(meta["family"], args.per_class, args.num_points, args.seed,
                                     meta["normals"], args.workers)
    rng = np.random.default_rng(args.seed)
    clouds = jitter(turn(clouds, args.rotation, rng), args.noise, rng)
    if args.keep < 1.0:
        clouds = cut(clouds, args.keep, rng)
    guess, losses = [], []
    for index in batches(np.arange(len(clouds)), args.batch_size):
        logits = net.forward(clouds[index])
        losses.append(nets.softmax_loss(logits, labels[index])[0])
        guess.append(logits.argmax(axis=1))
    guess = np.concatenate(guess)
    table = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(table, (labels, guess), 1)
    print(f"{args.pretrained}: {meta['family']}, pooling {meta['pooling']}")
    print(f"Testing Loss: {np.mean(losses):.4f} & Accuracy: {np.mean(guess == labels):.4f}")
    if args.confusion:
        width = max(map(len, names))
        for name, row in zip(names, table):
            print(f"{name:>{width}} " + " ".join(f"{v:4d}" for v in row))
    os.makedirs("results", exist_ok=True)
    np.savetxt("results/confusion.txt", table, fmt="%d")


if __name__ == "__main__":
    main(options().parse_args())
