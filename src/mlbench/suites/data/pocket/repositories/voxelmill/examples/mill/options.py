"""Types of arguments that the examples share."""
import argparse


def whole(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1: {text}")
    return value


def edge(text):
    value = int(text)
    if not 4 <= value <= 32:
        raise argparse.ArgumentTypeError(f"an edge has 4 to 32 voxels, not {text}")
    return value


def share(text):
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1: {text}")
    return value


def positive(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be positive: {text}")
    return value


def not_negative(text):
    value = float(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must not be negative: {text}")
    return value
