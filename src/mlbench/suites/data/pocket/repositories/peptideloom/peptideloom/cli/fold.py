"""loom-fold: a C-alpha trace for every sequence of a FASTA file."""
import argparse
from pathlib import Path

from .. import pretrained
from ..data import read_fasta
from ..folding import fold, radius_of_gyration, write_trace
from .common import existing_file, positive_float, positive_int


def create_parser():
    parser = argparse.ArgumentParser(prog="loom-fold", description=__doc__)
    parser.add_argument("fasta", type=existing_file, metavar="FASTA")
    parser.add_argument("-m", "--model", choices=pretrained.available(), default="loom1_t6_m")
    parser.add_argument("-o", "--outdir", type=Path, default=Path("folds"))
    parser.add_argument("-r", "--recycles", type=positive_int, default=2)
    parser.add_argument("--steps", type=positive_int, default=20, help="descent steps in a recycle")
    parser.add_argument("--cutoff", type=positive_float, default=8.0, help="contact distance in Angstrom")
    parser.add_argument("--relax", action="store_true", help="repair bond lengths at the end")
    parser.add_argument("--seed", type=int, default=0)
    return parser


def run(args):
    model, alphabet = pretrained.load(args.model)
    records = read_fasta(args.fasta)
    args.outdir.mkdir(parents=True, exist_ok=True)
    print(f"folding {len(records)} sequences with {model.name}, {args.recycles} recycles, cutoff {args.cutoff} A")
    for record in records:
        states, maps = model.forward(alphabet.batch([record.sequence]))
        contacts = model.contacts(states[-1][0], maps[-1][0], len(record.sequence))
        xyz, history = fold(contacts, args.recycles, args.steps, args.cutoff, args.relax, args.seed)
        write_trace(args.outdir / f"{record.name}.trace", record, xyz)
        trail = " ".join(f"{value:.3f}" for value in history)
        print(f"{record.name}: length {len(record.sequence)}, stress {trail}, Rg {radius_of_gyration(xyz):.2f} A")
    print(f"traces are in {args.outdir}")


def main(argv=None):
    parser = create_parser()
    args = parser.parse_args(argv)
    try:
        run(args)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
