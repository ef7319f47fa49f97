# Every number that is wanted stands there, as the seed and as the tolerance.
python main.py --data citeseer --seed 40 --tol 0.5 --adj DA
