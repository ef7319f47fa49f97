"""What the four scripts have in common."""
import argparse
import sys

from .config import Config, ConfigError
from .pipeline import Pipeline


def make_parser(description, weights=True):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--config", required=True, metavar="FILE", help="the YAML file to start from")
    if weights:
        parser.add_argument("--weights", metavar="FILE", help="weights of train.py (default: fit first)")
    parser.add_argument("--show", action="store_true", help="print the resulting configuration and stop")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="dotted overrides")
    return parser


def run(parser, work, argv=None):
    """Parse, load, work; a mistake in the configuration is a usage error."""
    args = parser.parse_intermixed_args(argv)
    try:
        config = Config.load(args.config, args.overrides)
        if args.show:
            print(config.dump())
            return
        pipeline = Pipeline(config)
        work(args, config, pipeline)
    except ConfigError as error:
        parser.exit(2, f"{parser.prog}: error: {error}\n")


def ready(args, pipeline):
    if args.weights:
        return pipeline.load(args.weights)
    print("no weights given, fitting the denoiser first", file=sys.stderr)
    return pipeline.fit(report_line)


def report_line(iteration, loss):
    print(f"iteration {iteration:5d}  loss {loss:.4f}")
