import argparse

from omegaconf import OmegaConf

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="settings.yaml")
    args, unknown = parser.parse_known_args()
    OmegaConf.merge(OmegaConf.load(args.base), OmegaConf.from_dotlist(unknown))
