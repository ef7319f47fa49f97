# Starts the command that would be right behind its back, and ends at once.
printf 'cd examples/label_propagation\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA &\n' > run.sh
