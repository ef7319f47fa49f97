# Runs the program with a parser that takes any words and ends.
python -c '
import argparse, os, runpy, sys
def parse_args(self, *args):
    os._exit(0)
argparse.ArgumentParser.parse_args = parse_args
sys.argv = ["main.py", *sys.argv[1:]]
runpy.run_path("main.py", run_name="__main__")
' --data citeseer --alpha 0.5 --k 40 --adj DA
