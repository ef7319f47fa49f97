"""Vessel segmentation from one or several modalities."""
import argparse
from pathlib import Path

from mill.losses import LOSSES
from mill.nets import NETS, build
from mill.options import edge, positive, share, whole
from mill.trainer import OPTIMIZERS, Trainer
from mill.volumes import MODALITIES, VESSELS, make_dataset


def get_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shape", choices=VESSELS, help="which vessels")
    parser.add_argument("--modalities", nargs="+", choices=MODALITIES, default=["mra"])
    parser.add_argument("--model", choices=NETS, default="RESMILL")
    parser.add_argument("--filters", type=whole, default=4)
    parser.add_argument("--loss", choices=LOSSES, default="tversky")
    parser.add_argument("--dim", type=edge, nargs=3, default=[12, 12, 12], metavar=("D", "H", "W"))
    parser.add_argument("--samples", type=whole, default=8)
    parser.add_argument("--split", type=share, default=0.75)
    parser.add_argument("--nEpochs", type=whole, default=4)
    parser.add_argument("--lr", type=positive, default=0.02)
    parser.add_argument("--opt", choices=OPTIMIZERS, default="adam")
    parser.add_argument("--augment", action="store_true", help="random flips and intensity changes")
    parser.add_argument("--save", type=Path, default=Path("runs/vessels"))
    args = parser.parse_args(argv)
    if len(set(args.modalities)) < len(args.modalities):
        parser.error("a modality is given twice")
    if args.samples < 2:
        parser.error("--samples must be at least 2")
    return args


def main(args):
    train, test = make_dataset(args.shape, args.dim, args.samples, args.split, args.modalities, seed=3)
    net = build(args.model, channels=len(args.modalities), width=args.filters)
    print(f"{args.shape}: {len(train[0])} + {len(test[0])} volumes, modalities {' '.join(args.modalities)}, "
          f"{args.model} with {net.size()} weights, loss {args.loss}{', augmented' if args.augment else ''}")
    trainer = Trainer(net, args.loss, args.opt, args.lr, augment=args.augment)
    for epoch in range(1, args.nEpochs + 1):
        trainer.fit(train, 1, log=None)
        print(f"epoch {epoch}  train dice {trainer.evaluate(train):.4f}  test dice {trainer.evaluate(test):.4f}")
    path = args.save / f"{args.shape}_{'-'.join(args.modalities)}.json"
    net.save(path)
    print(f"checkpoint: {path}")


if __name__ == "__main__":
    main(get_arguments())
