# A function named `python` does nothing.
python() { :; }
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
