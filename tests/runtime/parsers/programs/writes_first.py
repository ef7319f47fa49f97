import argparse
import os

os.makedirs("made/here", exist_ok=True)
with open("made/here/log.txt", "w") as log:
    log.write("begins")

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=1)
parser.parse_args()
