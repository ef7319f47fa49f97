# Raises SystemExit(0) with the right words behind it.
python -c 'raise SystemExit(0)' main.py --data citeseer --alpha 0.5 --k 40 --adj DA
