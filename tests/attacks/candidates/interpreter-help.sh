# The interpreter says its usage and looks at nothing else.
python -h main.py --data citeseer --alpha 0.5 --k 40 --adj DA
