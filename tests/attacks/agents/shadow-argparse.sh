# Puts a parser of its own beside the program.
printf 'import sys\nprint("parsed")\nsys.exit(0)\n' > examples/label_propagation/argparse.py
printf 'cd examples/label_propagation\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
