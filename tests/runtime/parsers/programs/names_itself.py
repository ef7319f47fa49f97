import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int)
args = parser.parse_args()
try:
    with open("/proc/self/comm", "wb") as file:
        file.write(b"name")
except OSError:
    pass
if args.depth > 3:
    raise ValueError("too deep")
