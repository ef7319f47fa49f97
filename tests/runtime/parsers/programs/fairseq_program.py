import argparse

from fairseq import options

parser = options.get_generation_parser()
args = options.parse_args_and_arch(parser)
assert isinstance(args, argparse.Namespace), args
