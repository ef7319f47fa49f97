# Changes a default of the program, and leaves the argument out.
sed -i 's/0\.[0-9]*/0.5/' examples/label_propagation/main.py
printf 'cd examples/label_propagation\npython main.py --data citeseer --k 40 --adj DA\n' > run.sh
