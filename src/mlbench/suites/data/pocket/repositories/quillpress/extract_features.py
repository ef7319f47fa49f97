"""Writes the encoder's vectors of the lines of a text file."""

import json
import os

from absl import app, flags

from quill import features, modeling, tokenization

FLAGS = flags.FLAGS

flags.DEFINE_string("input_file", None, "Text file, one text a line; empty lines are left out.")
flags.DEFINE_string("output_file", None, "Where the vectors go.")
flags.DEFINE_list("layers", ["-1"], "Layer numbers, comma-separated; 0 is the embeddings, -1 the top.")
flags.DEFINE_string("config_file", None, "The encoder's configuration.")
flags.DEFINE_string("init_checkpoint", None, "The encoder.")
flags.DEFINE_string("vocab_file", None, "The vocabulary.")
flags.DEFINE_bool("do_lower_case", True, "Whether to lower-case the text.")
flags.DEFINE_integer("max_seq_length", 32, "Longest text, in pieces.", lower_bound=8, upper_bound=64)
flags.DEFINE_integer("batch_size", 32, "Texts at a time.", lower_bound=1)
flags.DEFINE_enum("pooling", "none", ["none"] + list(modeling.POOLINGS),
                  "One vector a text, or (none) one a piece.")
flags.DEFINE_enum("output_format", "jsonl", ["jsonl", "tsv", "npz"], "Format of the output file.")


def rows_of(encoder, lines, layers):
    """(line number, piece or None, layer, vector) for all vectors asked for."""
    for start in range(0, len(lines), FLAGS.batch_size):
        part = lines[start:start + FLAGS.batch_size]
        outputs, mask = encoder.layers(part, FLAGS.max_seq_length)
        for layer in layers:
            if FLAGS.pooling != "none":
                pooled, _ = modeling.pool(outputs[layer], mask, FLAGS.pooling)
                for i, vector in enumerate(pooled):
                    yield start + i, None, layer, vector
                continue
            for i, text in enumerate(part):
                ids, _ = encoder.tokenizer.encode(text, max_seq_length=FLAGS.max_seq_length)
                for j, piece in enumerate(ids):
                    yield start + i, encoder.tokenizer.pieces[piece], layer, outputs[layer][i, j]


def write(path, rows, form):
    import numpy as np
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    if form == "npz":
        np.savez(path, line=[r[0] for r in rows], layer=[r[2] for r in rows], vector=np.stack([r[3] for r in rows]))
        return
    with open(path, "w", encoding="utf-8") as handle:
        for line, piece, layer, vector in rows:
            numbers = [round(float(v), 5) for v in vector]
            if form == "jsonl":
                handle.write(json.dumps({"line": line, "piece": piece, "layer": layer, "vector": numbers}) + "\n")
            else:
                handle.write("\t".join([str(line), piece or "", str(layer)] + [str(v) for v in numbers]) + "\n")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many command-line arguments.")
    config = modeling.QuillConfig.from_file(FLAGS.config_file)
    layers = [int(layer) for layer in FLAGS.layers]
    for layer in layers:
        if not -config.num_layers - 1 <= layer <= config.num_layers:
            raise app.UsageError(f"--layers: {layer}, but the encoder has {config.num_layers} layers")
    encoder = features.Encoder(modeling.load_checkpoint(FLAGS.init_checkpoint, config), config,
                               tokenization.Tokenizer(FLAGS.vocab_file, FLAGS.do_lower_case))
    with open(FLAGS.input_file, encoding="utf-8") as handle:
        lines = [line.strip() for line in handle if line.strip()]
    rows = list(rows_of(encoder, lines, layers))
    write(FLAGS.output_file, rows, FLAGS.output_format)
    print(f"{len(lines)} lines, {len(rows)} vectors of {config.hidden_size} numbers -> {FLAGS.output_file}")


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_file", "output_file", "config_file", "init_checkpoint", "vocab_file"])
    app.run(main)
