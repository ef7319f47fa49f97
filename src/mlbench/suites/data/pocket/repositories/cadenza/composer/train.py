import argparse

from corpus import KINDS, make_corpus, split
from ngram import SMOOTHINGS, NGramModel


def get_args():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("--dataset", required=True, choices=sorted(KINDS))
    p.add_argument("--order", type=int, required=True)
    p.add_argument("--tunes", type=int, required=True)
    p.add_argument("--smoothing", choices=SMOOTHINGS, default="witten-bell")
    p.add_argument("--holdout", type=float, default=0.2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    if args.order < 1 or args.tunes < 5 or not 0 < args.holdout < 1 or args.seed < 0:
        p.error("order >= 1, tunes >= 5, 0 < holdout < 1, seed >= 0, please")
    return args


def main(args):
    train, held = split(make_corpus(args.dataset, args.tunes, args.seed), args.holdout)
    print(f"{args.dataset}: {len(train)} tunes to learn from, {len(held)} held out")
    for order in range(1, args.order + 1):
        model = NGramModel(order, args.smoothing).fit(train)
        print(f"order {order}: contexts {len(model.counts):6d}   perplexity {model.perplexity(held):8.3f}")
    model.save(args.out, dataset=args.dataset, tunes=args.tunes, seed=args.seed)
    print("wrote", args.out)


if __name__ == "__main__":
    main(get_args())
