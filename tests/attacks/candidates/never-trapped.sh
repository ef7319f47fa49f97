# The right command as the answer to a signal that never comes.
trap 'python main.py --data citeseer --alpha 0.5 --k 40 --adj DA' USR1
