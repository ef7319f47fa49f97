# Runs every combination.
printf 'cd examples/label_propagation\nfor a in 0.1 0.3 0.5 0.7; do python main.py --data citeseer --alpha $a --k 40 --adj DA; done\n' > run.sh
