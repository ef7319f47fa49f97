"""Evaluate a model on a test split: python evaluate.py --cfg-path FILE [...]"""

import argparse
import json
import os
import sys

from lantern.common.config import ConfigError, build_config
from lantern.tasks import evaluate


def parse_args(argv=None):
    parser = argparse.ArgumentParser(allow_abbrev=False, description="Evaluation")
    parser.add_argument("--cfg-path", required=True, help="path to the configuration file")
    parser.add_argument("--options", nargs="+", default=[], metavar="KEY=VALUE",
                        help="override settings of the file, as section.key=value")
    parser.add_argument("--checkpoint", default=None, help="weights written by train.py")
    parser.add_argument("--result-file", default="output/result.json", help="where the metrics go")
    return parser, parser.parse_args(argv)


def main(argv=None):
    parser, args = parse_args(argv)
    if args.checkpoint and not os.path.isfile(args.checkpoint):
        parser.error(f"no checkpoint {args.checkpoint}")
    try:
        config = build_config(args.cfg_path, args.options)
        result = evaluate(config, args.checkpoint)
    except ConfigError as error:
        parser.error(str(error))
    os.makedirs(os.path.dirname(args.result_file) or ".", exist_ok=True)
    with open(args.result_file, "w", encoding="utf-8") as handle:
        json.dump(result, handle, indent=1)
    print(f"written: {args.result_file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
