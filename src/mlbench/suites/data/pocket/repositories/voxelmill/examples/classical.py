"""Baselines without a network: threshold or cluster the intensities."""
import argparse
from pathlib import Path

import numpy as np

from mill.options import edge, not_negative, whole
from mill.trainer import dice_score
from mill.volumes import PHANTOMS, make_volumes

METHODS = ("otsu", "kmeans", "gmm", "grow")


def get_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--dataset", choices=PHANTOMS, default="ellipsoid")
    parser.add_argument("--dim", type=edge, nargs=3, default=[14, 14, 14], metavar=("D", "H", "W"))
    parser.add_argument("--sigma", type=not_negative, nargs=3, default=[1.0, 1.0, 1.0], metavar=("D", "H", "W"),
                        help="Gaussian smoothing before anything else, in voxels")
    parser.add_argument("--noise", type=not_negative, default=0.3)
    parser.add_argument("--keep-largest", action="store_true", help="drop all but the largest component")
    parser.add_argument("--count", type=whole, default=4)
    parser.add_argument("--out", type=Path, default=Path("runs/classical"))
    return parser.parse_args(argv)


def smooth(image, sigma):
    """Gaussian blur by FFT (periodic border)."""
    spectrum = np.fft.fftn(image)
    for axis, s in enumerate(sigma):
        frequency = np.fft.fftfreq(image.shape[axis])
        shape = [1, 1, 1]
        shape[axis] = -1
        spectrum = spectrum * np.exp(-2 * (np.pi * frequency * s) ** 2).reshape(shape)
    return np.fft.ifftn(spectrum).real


def otsu(image):
    counts, edges = np.histogram(image, 64)
    centres = (edges[1:] + edges[:-1]) / 2
    low = np.cumsum(counts)
    high = low[-1] - low
    sums = np.cumsum(counts * centres)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = low * high * (sums / low - (sums[-1] - sums) / high) ** 2
    return image > centres[np.nanargmax(between)]


def kmeans(image, rounds=15):
    centres = np.quantile(image, [0.2, 0.8])
    for _ in range(rounds):
        high = np.abs(image - centres[1]) < np.abs(image - centres[0])
        centres = np.array([image[~high].mean(), image[high].mean()])
    return high


def gmm(image, rounds=20):
    mean, variance, share = np.quantile(image, [0.25, 0.85]), np.full(2, image.var()), np.array([0.6, 0.4])
    for _ in range(rounds):
        density = share * np.exp(-0.5 * (image[..., None] - mean) ** 2 / variance) / np.sqrt(variance) + 1e-12
        duty = density / density.sum(-1, keepdims=True)
        total = duty.sum((0, 1, 2))
        mean = (duty * image[..., None]).sum((0, 1, 2)) / total
        variance = (duty * (image[..., None] - mean) ** 2).sum((0, 1, 2)) / total + 1e-3
        share = total / total.sum()
    return duty[..., mean.argmax()] > 0.5


def spread(seed, allowed):
    """Grow a seed inside a mask along the six directions."""
    region = seed & allowed
    while True:
        grown = region.copy()
        for axis in range(3):
            front = [slice(None)] * 3
            back = [slice(None)] * 3
            front[axis], back[axis] = slice(1, None), slice(None, -1)
            grown[tuple(front)] |= region[tuple(back)]
            grown[tuple(back)] |= region[tuple(front)]
        grown &= allowed
        if (grown == region).all():
            return region
        region = grown


def grow(image):
    seed = image > np.quantile(image, 0.97)
    level = (image[seed].mean() + np.median(image)) / 2
    return spread(seed, image > level)


def largest_component(mask):
    best, left = np.zeros_like(mask), mask.copy()
    while left.sum() > best.sum():
        seed = np.zeros_like(mask)
        seed[tuple(np.argwhere(left)[0])] = True
        part = spread(seed, left)
        left &= ~part
        if part.sum() > best.sum():
            best = part
    return best


def main(args):
    method = {"otsu": otsu, "kmeans": kmeans, "gmm": gmm, "grow": grow}[args.method]
    images, masks = make_volumes(args.dataset, tuple(args.dim), args.count, noise=args.noise, seed=7)
    args.out.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (image, mask) in enumerate(zip(images[..., 0], masks[..., 0]), 1):
        guess = method(smooth(image, args.sigma))
        if args.keep_largest:
            guess = largest_component(guess)
        lines.append((number, int(guess.sum()), dice_score(guess.astype(float), mask)))
        print(f"volume {number}: {lines[-1][1]} voxels, dice {lines[-1][2]:.4f}")
    print(f"{args.method} on {args.dataset} (noise {args.noise}): mean dice {np.mean([d for *_, d in lines]):.4f}")
    with open(args.out / f"{args.dataset}_{args.method}.csv", "w", encoding="utf-8") as handle:
        handle.write("volume,voxels,dice\n")
        handle.writelines(f"{n},{v},{d:.5f}\n" for n, v, d in lines)


if __name__ == "__main__":
    main(get_arguments())
