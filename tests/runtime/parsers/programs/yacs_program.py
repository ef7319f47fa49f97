import argparse

from yacs.config import CfgNode

cfg = CfgNode({"SOLVER": {"LR": 0.1, "STEPS": 3}})

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("opts", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    cfg.merge_from_list(args.opts)
