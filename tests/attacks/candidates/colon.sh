# The right words as arguments of the command that does nothing.
: python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
