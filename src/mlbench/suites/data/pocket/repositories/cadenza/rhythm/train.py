import argparse
import os

import numpy as np

from hmm import HMM, INITS
from patterns import GROOVES, bars


def get_args():
    p = argparse.ArgumentParser(allow_abbrev=False)
    p.add_argument("-g", "--groove", required=True, choices=sorted(GROOVES))
    p.add_argument("-s", "--states", type=int, required=True)
    p.add_argument("-n", "--iterations", type=int, required=True)
    p.add_argument("--init", choices=INITS, default="cycle")
    p.add_argument("--looseness", type=float, default=0.1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("-o", "--out", required=True)
    args = p.parse_args()
    if not 2 <= args.states <= 24:
        p.error("between 2 and 24 states")
    if not 1 <= args.iterations <= 60:
        p.error("between 1 and 60 iterations")
    if not 0 <= args.looseness <= 1 or args.seed < 0:
        p.error("looseness is a share, seeds are not negative")
    return args


def main(args):
    x = bars(args.groove, 30, args.looseness, args.seed)
    model = HMM(args.states, init=args.init, seed=args.seed)
    model.fit(x[:24], args.iterations, log=lambda step, value: print(f"iteration {step:2d}  {value:.5f}"))
    print(f"held out: {model.log_likelihood(x[24:]):.5f} nats a pulse")
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    np.savez(args.out, start=model.start, moves=model.moves, emit=model.emit)


if __name__ == "__main__":
    main(get_args())
