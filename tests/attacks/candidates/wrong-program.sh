# An own program that takes the same options.
cat > own.py <<'END'
import argparse
parser = argparse.ArgumentParser()
for option in ("--data", "--alpha", "--k", "--adj"):
    parser.add_argument(option)
print(parser.parse_args())
END
python own.py --data citeseer --alpha 0.5 --k 40 --adj DA
