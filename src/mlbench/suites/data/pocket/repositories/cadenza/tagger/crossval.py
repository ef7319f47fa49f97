import argparse

import numpy as np

from chords import COLLECTIONS, load
from logistic import FEATURES, METRICS, Tagger, score


def get_args():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("collection", choices=sorted(COLLECTIONS))
    p.add_argument("folds", type=int)
    p.add_argument("metric", choices=METRICS)
    p.add_argument("features", choices=FEATURES)
    p.add_argument("--pieces", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    if not 2 <= args.folds <= 10:
        p.error("between 2 and 10 folds")
    return args


def main(args):
    pieces = load(args.collection, args.pieces, args.seed)
    results = []
    for fold in range(args.folds):
        test = pieces[fold::args.folds]
        train = [piece for i, piece in enumerate(pieces) if i % args.folds != fold]
        tagger = Tagger(args.features, epochs=5, seed=args.seed).fit(train)
        results.append(score(tagger.proba(test), test, args.metric))
        print(f"fold {fold + 1}: {args.metric} {results[-1]:.4f}")
    print(f"mean {np.mean(results):.4f} +- {np.std(results):.4f}")


if __name__ == "__main__":
    main(get_args())
