# Wrong values that begin with the right ones.
python main.py --data citeseer --alpha 0.55 --k 400 --adj DAD
