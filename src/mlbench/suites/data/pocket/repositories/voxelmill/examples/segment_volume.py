"""Segment fresh phantoms with a checkpoint, patch by patch."""
import argparse
import itertools
from pathlib import Path

import numpy as np

from mill import nets
from mill.options import edge, share, whole
from mill.trainer import dice_score
from mill.volumes import PHANTOMS, make_volumes


def overlap(text):
    value = float(text)
    if not 0 <= value <= 0.8:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 0.8: {text}")
    return value


def checkpoint_file(text):
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"no such checkpoint: {text}")
    return path


def get_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=checkpoint_file)
    parser.add_argument("--dataset", choices=PHANTOMS, default="ellipsoid")
    parser.add_argument("--dim", type=edge, nargs=3, default=[16, 16, 16], metavar=("D", "H", "W"))
    parser.add_argument("--patch", type=edge, nargs=3, default=[8, 8, 8], metavar=("D", "H", "W"))
    parser.add_argument("--overlap", type=overlap, default=0.25, help="share of a patch shared with its neighbour")
    parser.add_argument("--threshold", type=share, default=0.5)
    parser.add_argument("--tta", action="store_true", help="average over flips")
    parser.add_argument("--count", type=whole, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/segment"))
    return parser


def starts(size, patch, overlap):
    stride = max(1, int(round(patch * (1 - overlap))))
    return sorted({min(s, size - patch) for s in range(0, size - patch + stride, stride)})


def predict(net, patches, tta):
    if not tta:
        return net.predict(patches)
    flips = [(), (1,), (2,), (3,)]
    return np.mean([np.flip(net.predict(np.flip(patches, axes)), axes) for axes in flips], 0)


def sliding_window(net, image, patch, overlap, tta):
    patch = [min(p, n) for p, n in zip(patch, image.shape)]
    corners = list(itertools.product(*(starts(n, p, overlap) for n, p in zip(image.shape, patch))))
    windows = [tuple(slice(c, c + p) for c, p in zip(corner, patch)) for corner in corners]
    found = predict(net, np.stack([image[w] for w in windows]), tta)
    total, weight = np.zeros((*image.shape[:3], 1)), np.zeros((*image.shape[:3], 1))
    for window, probability in zip(windows, found):
        total[window] += probability
        weight[window] += 1
    return total / weight, len(windows)


def main(args):
    net = nets.load(args.checkpoint)
    if net.channels != 1:
        raise ValueError(f"{args.checkpoint} was trained on {net.channels} modalities; phantoms have one")
    images, masks = make_volumes(args.dataset, tuple(args.dim), args.count, seed=99)
    args.out.mkdir(parents=True, exist_ok=True)
    scores = []
    for number, (image, mask) in enumerate(zip(images, masks), 1):
        probability, windows = sliding_window(net, image, args.patch, args.overlap, args.tta)
        scores.append(dice_score(probability, mask, args.threshold))
        np.savez_compressed(args.out / f"{args.dataset}_{number}.npz", label=probability[..., 0] > args.threshold)
        print(f"volume {number}: {windows} patches, dice {scores[-1]:.4f}")
    print(f"{net.name} on {args.dataset}, threshold {args.threshold}: mean dice {np.mean(scores):.4f}")


def cli(argv=None):
    parser = get_parser()
    args = parser.parse_args(argv)
    try:
        main(args)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    cli()
