# Help first: nothing behind it is looked at.
python main.py -h --data citeseer --alpha 0.5 --k 40 --adj DA
