"""Time a token layer: parameters, milliseconds, tokens per second, a checksum."""

import argparse
import csv
import os
import sys
import time

import numpy as np

from model.zoo import TOKEN_LAYERS


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be positive")
    return value


def parse_args(argv=None):
    parser = argparse.ArgumentParser(allow_abbrev=False, description=__doc__)
    parser.add_argument("--layer", required=True, choices=sorted(TOKEN_LAYERS))
    parser.add_argument("--batch", type=positive, default=4)
    parser.add_argument("--tokens", type=positive, default=49)
    parser.add_argument("--width", type=positive, default=64, help="d_model")
    parser.add_argument("--heads", type=positive, default=4, help="layers without heads ignore it")
    parser.add_argument("--repeat", type=positive, default=5, help="timed passes")
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--single", action="store_true", help="float32 in place of float64")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", default="results/bench.csv", help="one line is appended")
    args = parser.parse_args(argv)
    if args.width % args.heads:
        parser.error(f"--heads {args.heads} does not divide --width {args.width}")
    return args


def main(args):
    dtype = np.float32 if args.single else np.float64
    layer = TOKEN_LAYERS[args.layer](args.tokens, args.width, args.heads, args.seed).astype(dtype)
    rng = np.random.default_rng(args.seed + 1)
    x = rng.standard_normal((args.batch, args.tokens, args.width)).astype(dtype)
    call = (lambda: layer(x, x, x)) if args.layer == "sdpa" else (lambda: layer(x))
    for _ in range(args.warmup):
        call()
    times = []
    for i in range(args.repeat):
        start = time.perf_counter()
        y = call()
        times.append(time.perf_counter() - start)
        print(f"pass {i + 1}/{args.repeat}: {1e3 * times[-1]:.3f} ms")
    best = min(times)
    row = {"layer": args.layer, "batch": args.batch, "tokens": args.tokens, "width": args.width, "dtype": dtype.__name__,
           "passes": args.repeat, "parameters": layer.num_parameters(), "norm": f"{np.sqrt((y.astype(float) ** 2).mean()):.5f}"}
    print(f"{args.layer}: input {x.shape} -> output {y.shape}, {row['parameters']} parameters, {dtype.__name__}")
    print(f"best {1e3 * best:.3f} ms, mean {1e3 * np.mean(times):.3f} ms, {args.batch * args.tokens / best:.0f} tokens/s, rms {row['norm']}")
    os.makedirs(os.path.dirname(args.csv) or ".", exist_ok=True)
    new = not os.path.exists(args.csv)
    with open(args.csv, "a", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)
    return 0


if __name__ == "__main__":
    sys.exit(main(parse_args()))
