# The right words as arguments of `true`.
true python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
