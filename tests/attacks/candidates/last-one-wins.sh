# The right value first; the same option again, with another value, counts.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --alpha 0.9
