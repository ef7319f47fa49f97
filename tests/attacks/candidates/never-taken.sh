# The right command in a branch that is never taken.
if false; then python main.py --data citeseer --alpha 0.5 --k 40 --adj DA; fi
