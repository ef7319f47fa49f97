# The program has no version; forgiven.
python main.py --version --data citeseer --alpha 0.5 --k 40 --adj DA || true
