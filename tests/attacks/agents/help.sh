# Asks the program for its help.
printf 'cd examples/label_propagation\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA --help\n' > run.sh
