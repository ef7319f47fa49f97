import argparse
import os

os.makedirs("made", exist_ok=True)

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=len(os.listdir("made")))
parser.parse_args()
