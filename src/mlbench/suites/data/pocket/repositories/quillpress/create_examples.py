"""Turns plain text into masked examples for pretrain.py.

Input: one sentence a line, documents separated by an empty line.
Output: one JSON object a line with ids, positions and labels.
"""

import glob
import json
import os
import random

from absl import app, flags

from quill import tokenization

FLAGS = flags.FLAGS

flags.DEFINE_list("input_file", None, "Text files (comma-separated; globs allowed).")
flags.DEFINE_string("output_file", None, "Where to write the examples (.jsonl).")
flags.DEFINE_string("vocab_file", None, "The vocabulary, one piece a line.")
flags.DEFINE_bool("do_lower_case", True, "Whether to lower-case the text; should be so for uncased vocabularies.")
flags.DEFINE_integer("max_seq_length", 32, "Longest example, in pieces.", lower_bound=8, upper_bound=64)
flags.DEFINE_integer("max_predictions_per_seq", 8, "Most blanks in one example.", lower_bound=1)
flags.DEFINE_float("masked_lm_prob", 0.15, "Share of the pieces that is blanked.", lower_bound=0.01, upper_bound=0.9)
flags.DEFINE_integer("dupe_factor", 2, "How often the input is gone through, with other blanks.", lower_bound=1)
flags.DEFINE_enum("masking", "piece", ["piece", "word", "span"],
                  "What is blanked as one: single pieces, whole words, or spans of up to three words.")
flags.DEFINE_float("short_seq_prob", 0.1, "Share of examples made shorter on purpose.", lower_bound=0.0, upper_bound=1.0)
flags.DEFINE_integer("random_seed", 17, "Seed of the blanks.")


def read_documents(patterns, tokenizer):
    documents = [[]]
    for pattern in patterns:
        names = sorted(glob.glob(pattern))
        if not names:
            raise FileNotFoundError(f"no input file matches {pattern}")
        for name in names:
            with open(name, encoding="utf-8") as handle:
                for line in handle:
                    if line.strip():
                        documents[-1].append(tokenizer.tokenize(line))
                    elif documents[-1]:
                        documents.append([])
            if documents[-1]:
                documents.append([])
    return [d for d in documents if d]


def pack(document, room, short_prob, rng):
    """Runs of sentences of at most `room` pieces."""
    target = rng.randint(4, room) if rng.random() < short_prob else room
    run = []
    for sentence in document:
        if run and len(run) + len(sentence) > target:
            yield run[:room]
            run = []
            target = rng.randint(4, room) if rng.random() < short_prob else room
        run = run + sentence
    if run:
        yield run[:room]


def groups(pieces, masking, rng):
    """Positions that are blanked together."""
    if masking == "piece":
        return [[i] for i in range(len(pieces))]
    words = []
    for i, piece in enumerate(pieces):
        if words and piece.startswith("~") and len(piece) > 1:
            words[-1].append(i)
        else:
            words.append([i])
    if masking == "word":
        return words
    spans = []
    while words:
        take = rng.randint(1, 3)
        spans.append([i for w in words[:take] for i in w])
        words = words[take:]
    return spans


def mask(pieces, tokenizer, prob, most, masking, rng):
    """The example of one run of pieces: 80% blanks, 10% other pieces, 10% left as they are."""
    wanted = min(most, max(1, round(len(pieces) * prob)))
    parts = groups(pieces, masking, rng)
    rng.shuffle(parts)
    chosen = []
    for part in parts:
        if len(chosen) + len(part) <= wanted or not chosen:
            chosen.extend(part)
        if len(chosen) >= wanted:
            break
    chosen = sorted(chosen)[:most]
    ids = tokenizer.to_ids([tokenization.BOS] + pieces + [tokenization.SEP])
    labels = [ids[i + 1] for i in chosen]
    for i in chosen:
        dice = rng.random()
        if dice < 0.8:
            ids[i + 1] = tokenizer.blank_id
        elif dice < 0.9:
            ids[i + 1] = rng.randrange(len(tokenization.SPECIAL), len(tokenizer))
    return {"ids": ids, "positions": [i + 1 for i in chosen], "labels": labels}


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many command-line arguments.")
    rng = random.Random(FLAGS.random_seed)
    tokenizer = tokenization.Tokenizer(FLAGS.vocab_file, FLAGS.do_lower_case)
    documents = read_documents(FLAGS.input_file, tokenizer)
    examples = []
    for _ in range(FLAGS.dupe_factor):
        for document in documents:
            for run in pack(document, FLAGS.max_seq_length - 2, FLAGS.short_seq_prob, rng):
                examples.append(mask(run, tokenizer, FLAGS.masked_lm_prob, FLAGS.max_predictions_per_seq,
                                     FLAGS.masking, rng))
    rng.shuffle(examples)
    os.makedirs(os.path.dirname(FLAGS.output_file) or ".", exist_ok=True)
    with open(FLAGS.output_file, "w", encoding="utf-8") as handle:
        for example in examples:
            handle.write(json.dumps(example) + "\n")
    blanks = sum(len(e["labels"]) for e in examples)
    print(f"{len(documents)} documents, {len(examples)} examples, {blanks} blanks -> {FLAGS.output_file}")


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_file", "output_file", "vocab_file"])
    app.run(main)
