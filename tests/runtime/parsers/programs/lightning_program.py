import argparse

import pytorch_lightning as pl

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser = pl.Trainer.add_argparse_args(parser)
    args = parser.parse_args()
