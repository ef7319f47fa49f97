"""Train a model: python train.py --cfg-path FILE [--options section.key=value ...]"""

import argparse
import sys

from lantern.common.config import ConfigError, build_config, show
from lantern.tasks import train


def parse_args(argv=None):
    parser = argparse.ArgumentParser(allow_abbrev=False, description="Training")
    parser.add_argument("--cfg-path", required=True, help="path to the configuration file")
    parser.add_argument("--options", nargs="+", default=[], metavar="KEY=VALUE",
                        help="override settings of the file, as section.key=value")
    parser.add_argument("--print-config", action="store_true", help="show the merged configuration first")
    return parser, parser.parse_args(argv)


def main(argv=None):
    parser, args = parse_args(argv)
    try:
        config = build_config(args.cfg_path, args.options)
        if args.print_config:
            print(show(config))
        history = train(config)
    except ConfigError as error:
        parser.error(str(error))
    print(f"done: {config['run']['output_dir']}/checkpoint.npz, last loss {history[-1]['train_loss']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
