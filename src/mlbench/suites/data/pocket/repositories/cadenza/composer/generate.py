import argparse
import os

import numpy as np

from ngram import NGramModel

STYLES = ("plain", "swung", "slurred", "ornate")


def get_args():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("--ckpt", required=True)
    p.add_argument("--style", required=True, choices=STYLES)
    p.add_argument("--tempo", type=int, required=True, help="quarter notes a minute, 40-240")
    p.add_argument("--bars", type=int, required=True, help="1-32")
    p.add_argument("--temperature", type=float, default=1.0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--outdir", default="samples")
    args = p.parse_args()
    if not 40 <= args.tempo <= 240:
        p.error("the tempo must lie between 40 and 240")
    if not 1 <= args.bars <= 32:
        p.error("between 1 and 32 bars, please")
    if not 0.05 <= args.temperature <= 5:
        p.error("the temperature must lie between 0.05 and 5")
    if args.seed < 0:
        p.error("the seed must not be negative")
    if not os.path.isfile(args.ckpt):
        p.error(f"no such checkpoint: {args.ckpt}")
    return args


def perform(tokens, style, tempo, rng):
    """(start, length, degree) in seconds and a mark for the manner."""
    eighth = 30.0 / tempo
    clock, out, odd = 0.0, [], 0
    for token in tokens:
        if token == "|":
            odd = 0
            continue
        degree, length = token.split(":")
        length = int(length)
        span = length * eighth
        if style == "swung" and length == 1:
            span = eighth * (4 / 3 if odd % 2 == 0 else 2 / 3)
            odd += 1
        mark = ""
        if style == "slurred" and out and out[-1][2] != degree and rng.random() < 0.5:
            mark = "slur"
        if style == "ornate" and length > 1 and rng.random() < 0.6:
            mark = str(rng.choice(["turn", "mordent", "grace"]))
        out.append((clock, span, degree, mark))
        clock += span
    return out


def main(args):
    rng = np.random.default_rng(args.seed)
    tokens = NGramModel.load(args.ckpt).sample(rng, args.bars, args.temperature)
    notes = perform(tokens, args.style, args.tempo, rng)
    name = os.path.splitext(os.path.basename(args.ckpt))[0]
    os.makedirs(args.outdir, exist_ok=True)
    path = os.path.join(args.outdir, f"{name}-{args.style}-{args.tempo}-{args.bars}.txt")
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(f"# {args.style}, {args.tempo} a minute, {args.bars} bars\n")
        handle.write(" ".join(tokens) + "\n")
        for start, span, degree, mark in notes:
            handle.write(f"{start:8.3f} {span:6.3f} {degree:4s} {mark}\n")
    print(" ".join(tokens))
    print(f"{len(notes)} notes, {notes[-1][0] + notes[-1][1]:.1f} s -> {path}")


if __name__ == "__main__":
    main(get_args())
