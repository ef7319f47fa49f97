"""Builds a vocabulary of word pieces from text files."""

import collections
import glob
import os

from absl import app, flags, logging

from quill import tokenization

FLAGS = flags.FLAGS

flags.DEFINE_list("input_file", None, "Text files (comma-separated; globs allowed).")
flags.DEFINE_string("output_file", None, "Where to write the vocabulary, one piece a line.")
flags.DEFINE_integer("vocab_size", 320, "Number of pieces, the special ones included.", lower_bound=100)
flags.DEFINE_bool("do_lower_case", True, "Whether to lower-case the text.")


def merge_pieces(counts, size):
    """Joins the most frequent neighbours until there are `size` pieces."""
    words = {w: [w[0]] + ["~" + c for c in w[1:]] for w in counts}
    pieces = dict.fromkeys(sorted({p for cut in words.values() for p in cut}))
    while len(pieces) < size:
        pairs = collections.Counter()
        for word, cut in words.items():
            for a, b in zip(cut, cut[1:]):
                pairs[a, b] += counts[word]
        if not pairs:
            break
        (a, b), _ = min(pairs.items(), key=lambda kv: (-kv[1], kv[0]))
        joined = a + b[1:]
        pieces[joined] = None
        for word, cut in words.items():
            out = []
            for piece in cut:
                if out and out[-1] == a and piece == b:
                    out[-1] = joined
                else:
                    out.append(piece)
            words[word] = out
    return list(pieces)


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many command-line arguments.")
    counts = collections.Counter()
    for pattern in FLAGS.input_file:
        names = sorted(glob.glob(pattern))
        if not names:
            raise FileNotFoundError(pattern)
        for name in names:
            with open(name, encoding="utf-8") as handle:
                counts.update(tokenization.split_words(handle.read(), FLAGS.do_lower_case))
    pieces = list(tokenization.SPECIAL) + merge_pieces(counts, FLAGS.vocab_size - len(tokenization.SPECIAL))
    os.makedirs(os.path.dirname(FLAGS.output_file) or ".", exist_ok=True)
    with open(FLAGS.output_file, "w", encoding="utf-8") as handle:
        handle.write("\n".join(pieces) + "\n")
    logging.info("%d pieces from %d different words", len(pieces), len(counts))
    print(f"wrote {len(pieces)} pieces to {FLAGS.output_file}")


if __name__ == "__main__":
    flags.mark_flags_as_required(["input_file", "output_file"])
    app.run(main)
