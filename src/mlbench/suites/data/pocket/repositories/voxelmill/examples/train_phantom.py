"""Train a small network on phantoms."""
import argparse
from pathlib import Path

from mill.losses import LOSSES
from mill.nets import NETS, build
from mill.options import edge, positive, share, whole
from mill.trainer import OPTIMIZERS, Trainer
from mill.volumes import PHANTOMS, make_dataset


def get_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", choices=PHANTOMS, default="ellipsoid")
    parser.add_argument("--model", choices=NETS, default="MILLNET")
    parser.add_argument("--dim", type=edge, nargs=3, default=[12, 12, 12], metavar=("D", "H", "W"))
    parser.add_argument("--samples", type=whole, default=10)
    parser.add_argument("--split", type=share, default=0.75, help="share of the volumes used for training")
    parser.add_argument("--nEpochs", type=whole, default=4)
    parser.add_argument("--batchSz", type=whole, default=2)
    parser.add_argument("--lr", type=positive, default=0.02)
    parser.add_argument("--opt", choices=OPTIMIZERS, default="adam")
    parser.add_argument("--loss", choices=LOSSES, default="dice")
    parser.add_argument("--width", type=whole, default=4, help="filters per convolution")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, default=Path("runs/phantom"))
    args = parser.parse_args(argv)
    if args.samples < 2:
        parser.error("--samples must be at least 2")
    return args


def main(args):
    train, test = make_dataset(args.dataset, args.dim, args.samples, args.split, seed=args.seed)
    net = build(args.model, width=args.width, seed=args.seed)
    print(f"{args.model} ({net.size()} weights) on {args.dataset} {'x'.join(map(str, args.dim))}: "
          f"{len(train[0])} train, {len(test[0])} test volumes")
    trainer = Trainer(net, args.loss, args.opt, args.lr, args.batchSz, seed=args.seed)
    print(f"before training: dice {trainer.evaluate(test):.4f}")
    trainer.fit(train, args.nEpochs)
    print(f"test dice {trainer.evaluate(test):.4f}")
    path = args.save / f"{args.model.lower()}_{args.dataset}.json"
    net.save(path)
    print(f"checkpoint: {path}")


if __name__ == "__main__":
    main(get_arguments())
