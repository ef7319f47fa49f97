import argparse
import random

import numpy as np

import jobs
import nets
from feeds import ANOMALY_SETS, CLASS_SETS, SERIES_SETS, SUBSETS
from jobs.common import LOSSES, SCHEDULES, setting_of

DATA_OF = {"long_horizon": (*SERIES_SETS, "csv"), "imputation": (*SERIES_SETS, "csv"),
           "short_horizon": ("medley",), "anomaly": tuple(ANOMALY_SETS), "classification": tuple(CLASS_SETS)}


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


def above_zero(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return value


def share(text):
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not in [0, 1)")
    return value


def build_parser():
    parser = argparse.ArgumentParser(description="tidewatch", allow_abbrev=False)

    # basic
    parser.add_argument("--task_name", required=True, choices=tuple(DATA_OF))
    parser.add_argument("--is_training", type=int, required=True, choices=(0, 1), help="1: train and test, 0: test only")
    parser.add_argument("--model_id", required=True, help="names the run in checkpoints/ and results/")
    parser.add_argument("--model", required=True, choices=nets.NAMES)

    # data
    parser.add_argument("--data", required=True, choices=sorted({name for names in DATA_OF.values() for name in names}))
    parser.add_argument("--data_path", help="the file, for --data csv")
    parser.add_argument("--features", default="M", choices=("M", "S"), help="M: all channels, S: only the target")
    parser.add_argument("--target", default="level", help="the channel of --features S")
    parser.add_argument("--window_step", type=positive, default=4, help="take every n-th training window")
    parser.add_argument("--checkpoints", default="./checkpoints")

    # windows
    parser.add_argument("--seq_len", type=positive, default=48)
    parser.add_argument("--pred_len", type=positive, default=24)
    parser.add_argument("--subset", default="monthly", choices=tuple(SUBSETS), help="of the medley collection")
    parser.add_argument("--lookback", type=positive, default=2, help="short_horizon: input length in horizons")

    # imputation, anomaly
    parser.add_argument("--mask_rate", type=share, default=0.25)
    parser.add_argument("--mask_kind", default="point", choices=("point", "block"))
    parser.add_argument("--anomaly_ratio", type=above_zero, default=1.0, help="in percent")
    parser.add_argument("--segment_credit", action="store_true", help="a touched segment counts as found")

    # model
    parser.add_argument("--d_model", type=positive, default=16)
    parser.add_argument("--dropout", type=share, default=0.05)
    parser.add_argument("--moving_avg", type=positive, default=13)
    parser.add_argument("--patch_len", type=positive, default=8)
    parser.add_argument("--stride", type=positive, default=4)
    parser.add_argument("--top_k", type=positive, default=3)
    parser.add_argument("--ar_order", type=positive, default=12)
    parser.add_argument("--ridge", type=float, default=0.1)
    parser.add_argument("--season", type=positive, default=24)
    parser.add_argument("--use_norm", type=int, default=1, choices=(0, 1), help="centre each window (forecasting)")

    # optimisation
    parser.add_argument("--itr", type=positive, default=1, help="repetitions with seed, seed+1, ...")
    parser.add_argument("--train_epochs", type=positive, default=4)
    parser.add_argument("--batch_size", type=positive, default=32)
    parser.add_argument("--patience", type=positive, default=3)
    parser.add_argument("--learning_rate", type=above_zero, default=0.005)
    parser.add_argument("--loss", default="mse", choices=LOSSES)
    parser.add_argument("--lradj", default="flat", choices=SCHEDULES)
    parser.add_argument("--des", default="run", help="a word for the file names")
    parser.add_argument("--seed", type=int, default=2031)
    return parser


def check(parser, args):
    if args.data not in DATA_OF[args.task_name]:
        parser.error(f"--data {args.data} does not go with {args.task_name}: {', '.join(DATA_OF[args.task_name])}")
    if args.data == "csv" and not args.data_path:
        parser.error("--data csv needs --data_path")
    if args.model in nets.CLOSED and not args.task_name.endswith("_horizon"):
        parser.error(f"{args.model} only forecasts")
    if args.task_name == "imputation" and args.loss not in ("mse", "mae"):
        parser.error("imputation knows the losses mse and mae")


def main(args):
    random.seed(args.seed)
    np.random.seed(args.seed)
    job = jobs.get(args.task_name)
    print("Args:", " ".join(f"{k}={v}" for k, v in sorted(vars(args).items())))
    for repeat in range(args.itr):
        print(f">>>>>>> {setting_of(args, repeat)}")
        job(args, repeat)


if __name__ == "__main__":
    parser = build_parser()
    options = parser.parse_args()
    check(parser, options)
    main(options)
