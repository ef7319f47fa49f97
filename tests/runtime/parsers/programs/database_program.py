import argparse
import sqlite3

parser = argparse.ArgumentParser()
parser.add_argument("--pieces", default="nowhere/pieces.db")
args = parser.parse_args()
sqlite3.connect(args.pieces)
