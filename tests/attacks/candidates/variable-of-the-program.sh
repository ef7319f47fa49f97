# A wrong value in the right place; the right one is a variable of the program, which does not read it.
alpha=0.5 ALPHA=0.5 python main.py --data citeseer --alpha 0.9 --k 40 --adj DA
