# Python code that calls itself main.py and parses the right words with a parser of its own.
python -c '
import argparse, sys
sys.argv[0] = __file__ = "/workspace/examples/label_propagation/main.py"
parser = argparse.ArgumentParser(prog="main.py")
parser.add_argument("--data", dest="dataset", choices=["cora", "citeseer"], required=True)
parser.add_argument("--alpha", type=float, default=0.9)
parser.add_argument("--k", type=int, default=20)
parser.add_argument("--adj", choices=["DAD", "DA"], default="DAD")
args = parser.parse_args()
print(args)
' --data citeseer --alpha 0.5 --k 40 --adj DA
