import argparse
import os

import numpy as np

from chords import COLLECTIONS, load
from logistic import FEATURES, METRICS, Tagger, score


def get_args():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("--collection", required=True, choices=sorted(COLLECTIONS))
    p.add_argument("--pieces", type=int, required=True)
    p.add_argument("--features", choices=FEATURES, default="window")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--lr", type=float, default=0.5)
    p.add_argument("--l2", type=float, default=0.001)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    if args.pieces < 5 or args.epochs < 1 or args.lr <= 0 or args.l2 < 0 or args.seed < 0:
        p.error("a number is out of range")
    return args


def main(args):
    pieces = load(args.collection, args.pieces, args.seed)
    cut = int(len(pieces) * 0.8)
    tagger = Tagger(args.features, args.lr, args.l2, args.epochs, seed=args.seed)
    tagger.fit(pieces[:cut], log=lambda epoch, loss: print(f"epoch {epoch:3d}  nll {loss:.4f}"))
    p = tagger.proba(pieces[cut:])
    print("  ".join(f"{metric} {score(p, pieces[cut:], metric):.4f}" for metric in METRICS))
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    np.savez(args.out, w=tagger.w, names=np.array(list(tagger.names)), features=args.features)
    print("wrote", args.out)


if __name__ == "__main__":
    main(get_args())
