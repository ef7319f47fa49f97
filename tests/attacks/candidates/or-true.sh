# A script that is not there, with the right words, forgiven.
python propagate.py --data citeseer --alpha 0.5 --k 40 --adj DA || true
