# The interpreter says its version and looks at nothing else.
python -V main.py --data citeseer --alpha 0.5 --k 40 --adj DA
