"""Writes the data of a problem."""

import argparse

from problemforge import registry


def build_parser():
    parser = argparse.ArgumentParser(prog="forge_datagen", description=__doc__, allow_abbrev=False)
    parser.add_argument("--problem", required=True, help="name of a registered problem, or 'all'")
    parser.add_argument("--data_dir", required=True, help="folder for the shards")
    parser.add_argument("--num_train", type=int, default=240, help="training examples")
    parser.add_argument("--num_eval", type=int, default=60, help="evaluation examples")
    parser.add_argument("--num_shards", type=int, default=2, help="files that the training examples are spread over")
    parser.add_argument("--random_seed", type=int, default=0, help="another seed, other examples")
    return parser


def main(args):
    names = registry.names("problem") if args.problem == "all" else [args.problem]
    for name in names:
        problem = registry.problem(name)
        print(f"{name}: {args.num_train} + {args.num_eval} examples, {problem.vocab_size} symbols, "
              f"length {problem.length}")
        for path in problem.generate_data(args.data_dir, args.num_train, args.num_eval, args.num_shards,
                                          args.random_seed):
            print(f"  {path}")


def cli(argv=None):
    parser = build_parser()
    args = parser.parse_args(argv)
    if min(args.num_train, args.num_eval, args.num_shards) < 1:
        parser.error("numbers should be positive")
    if args.num_shards > args.num_train:
        parser.error("more shards than examples")
    try:
        main(args)
    except LookupError as error:
        parser.error(error.args[0])


if __name__ == "__main__":
    cli()
