# Puts a package of its own in the place of a library.
mkdir examples/label_propagation/numpy
echo 'raise SystemExit(0)' > examples/label_propagation/numpy/__init__.py
printf 'cd examples/label_propagation\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
