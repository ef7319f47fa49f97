"""Lets a trained model answer the lines of a file."""

import argparse
import os

from problemforge import decoding, registry, training


def build_parser():
    parser = argparse.ArgumentParser(prog="forge_decoder", description=__doc__, allow_abbrev=False)
    parser.add_argument("--problem", required=True, help="name of the problem the model was trained on")
    parser.add_argument("--model", required=True, help="name of the model")
    parser.add_argument("--hparams_set", required=True, help="hyper-parameter set of the training")
    parser.add_argument("--hparams", default="", help="overrides of the training that change the size of the model")
    parser.add_argument("--output_dir", required=True, help="folder with the checkpoint")
    parser.add_argument("--decode_hparams", default="", help="settings of the decoder, name=value,name=value")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--decode_from_file", help="text file, one input a line")
    source.add_argument("--decode_fresh", type=int, metavar="N", help="N newly drawn inputs of the problem")
    parser.add_argument("--decode_to_file", help="where to write the answers")
    return parser


def main(args):
    problem = registry.problem(args.problem)
    hparams = registry.hparams(args.hparams_set).parse(args.hparams)
    settings = decoding.decode_hparams(args.decode_hparams)
    model = training.create(problem, args.model, hparams)
    training.restore(model, args.output_dir)
    if args.decode_from_file:
        with open(args.decode_from_file, encoding="utf-8") as handle:
            texts, answers = [line.strip() for line in handle if line.strip()], None
    else:
        pairs = list(problem.generator("decode", args.decode_fresh))
        texts, answers = [a for a, _ in pairs], [b for _, b in pairs]
    lines = []
    for text, outputs in zip(texts, decoding.decode(model, texts, settings)):
        for output, score in outputs:
            lines.append("\t".join([text, output] + ([f"{score:.4f}"] if settings.return_scores else [])))
    if args.decode_to_file:
        os.makedirs(os.path.dirname(args.decode_to_file) or ".", exist_ok=True)
        with open(args.decode_to_file, "w", encoding="utf-8") as handle:
            handle.writelines(line + "\n" for line in lines)
    for line in lines[:10]:
        print(line)
    print(f"{len(texts)} inputs, {len(lines)} outputs")
    if answers is not None:
        right = [any(o == b for o, _ in out) for out, b in zip(decoding.decode(model, texts, settings), answers)]
        print(f"right: {sum(right)} of {len(right)}")


def cli(argv=None):
    parser = build_parser()
    args = parser.parse_args(argv)
    try:
        main(args)
    except (LookupError, ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    cli()
