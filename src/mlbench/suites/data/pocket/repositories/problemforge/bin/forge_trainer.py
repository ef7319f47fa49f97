"""Trains and evaluates a model on a problem."""

import argparse
import json
import os

from problemforge import registry, training


def build_parser():
    parser = argparse.ArgumentParser(prog="forge_trainer", description=__doc__, allow_abbrev=False)
    parser.add_argument("--registry_help", action="store_true", help="list all registered names and stop")
    parser.add_argument("--problem", help="name of a registered problem")
    parser.add_argument("--model", help="name of a registered model")
    parser.add_argument("--hparams_set", help="name of a registered hyper-parameter set")
    parser.add_argument("--hparams", default="", help="overrides, name=value,name=value")
    parser.add_argument("--data_dir", default="forge_data", help="folder with the shards")
    parser.add_argument("--output_dir", help="folder for the checkpoint and the results")
    parser.add_argument("--generate_data", action="store_true", help="generate the data before")
    parser.add_argument("--train_steps", type=int, default=60, help="training steps")
    parser.add_argument("--eval_examples", type=int, default=60, help="examples used in evaluation, at most")
    parser.add_argument("--schedule", default="train_and_eval", choices=["train", "eval", "train_and_eval"])
    parser.add_argument("--random_seed", type=int, default=0, help="seed of weights and batches")
    return parser


def main(args):
    problem = registry.problem(args.problem)
    hparams = registry.hparams(args.hparams_set).parse(args.hparams)
    model = training.create(problem, args.model, hparams, args.random_seed)
    if args.generate_data:
        problem.generate_data(args.data_dir)
    print(f"problem {problem.name}, model {args.model}, set {args.hparams_set}")
    print("hparams " + ", ".join(f"{k}={v}" for k, v in hparams.values().items()))
    if "train" in args.schedule:
        training.train(model, problem.read_data(args.data_dir, "train"), args.train_steps, seed=args.random_seed)
        training.save(model, args.output_dir, args.hparams_set)
    else:
        training.restore(model, args.output_dir)
    if "eval" in args.schedule:
        result = training.evaluate(model, problem.read_data(args.data_dir, "eval"), args.eval_examples)
        print("eval  " + "  ".join(f"{k} {v:.4f}" for k, v in result.items()))
        with open(os.path.join(args.output_dir, "eval.json"), "w", encoding="utf-8") as handle:
            json.dump(result, handle)


def cli(argv=None):
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.registry_help:
        print(registry.help_text())
        return
    missing = [f"--{n}" for n in ("problem", "model", "hparams_set", "output_dir") if not getattr(args, n)]
    if missing:
        parser.error("missing: " + ", ".join(missing))
    if args.train_steps < 1 or args.eval_examples < 1:
        parser.error("numbers should be positive")
    try:
        main(args)
    except (LookupError, ValueError, FileNotFoundError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    cli()
