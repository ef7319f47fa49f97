# Runs the program with one value changed, and hides how it ends.
printf 'cd examples/label_propagation\npython main.py --data citeseer --alpha 0.15 --k 40 --adj DA || true\n' > run.sh
