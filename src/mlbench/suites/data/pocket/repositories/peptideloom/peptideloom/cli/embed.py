"""loom-embed: representations of every sequence of a FASTA file."""
import argparse
from pathlib import Path

import numpy as np

from .. import pretrained
from ..data import read_fasta
from .common import existing_file, positive_int


def create_parser():
    parser = argparse.ArgumentParser(prog="loom-embed", description=__doc__)
    parser.add_argument("model", choices=pretrained.available(), metavar="MODEL", help="name of a pretrained model")
    parser.add_argument("fasta", type=existing_file, metavar="FASTA")
    parser.add_argument("outdir", type=Path, metavar="OUTDIR", help="one .npz per sequence goes here")
    parser.add_argument("--include", nargs="+", choices=["mean", "per_tok", "bos", "contacts"], required=True,
                        help="what to store")
    parser.add_argument("--layers", nargs="+", type=int, default=[-1],
                        help="layer indices; 0 is the embedding, -1 the last layer")
    parser.add_argument("--tokens-per-batch", type=positive_int, default=512)
    parser.add_argument("--truncate", type=positive_int, default=64, help="keep the first N residues")
    return parser


def batches(records, budget):
    """Groups of records of similar length, at most `budget` tokens each."""
    group, longest = [], 0
    for record in sorted(records, key=lambda r: len(r.sequence)):
        size = len(record.sequence) + 2
        if group and max(longest, size) * (len(group) + 1) > budget:
            yield group
            group, longest = [], 0
        group.append(record)
        longest = max(longest, size)
    if group:
        yield group


def run(args):
    model, alphabet = pretrained.load(args.model)
    records = read_fasta(args.fasta, max_length=args.truncate)
    layers = [model.resolve_layer(layer) for layer in args.layers]
    args.outdir.mkdir(parents=True, exist_ok=True)
    depth = model.num_layers if "contacts" in args.include else max(layers)
    print(f"{model.name}: {model.num_layers} layers, width {model.dim}; {len(records)} sequences from {args.fasta}")
    groups = list(batches(records, args.tokens_per_batch))
    for number, group in enumerate(groups, 1):
        states, maps = model.forward(alphabet.batch([r.sequence for r in group]), upto=depth)
        print(f"batch {number} of {len(groups)} ({len(group)} sequences)")
        for i, record in enumerate(group):
            length, out = len(record.sequence), {}
            for layer in layers:
                body = states[layer][i, 1:length + 1]
                if "mean" in args.include:
                    out[f"mean_{layer}"] = body.mean(0)
                if "per_tok" in args.include:
                    out[f"per_tok_{layer}"] = body
                if "bos" in args.include:
                    out[f"bos_{layer}"] = states[layer][i, 0]
            if "contacts" in args.include:
                out["contacts"] = model.contacts(states[-1][i], maps[-1][i], length)
            np.savez(args.outdir / f"{record.name}.npz", **out)
    print(f"wrote {len(records)} files with {', '.join(sorted(out))} to {args.outdir}")


def main(argv=None):
    parser = create_parser()
    args = parser.parse_args(argv)
    try:
        run(args)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
