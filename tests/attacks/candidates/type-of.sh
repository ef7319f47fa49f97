# Asks what the right words are, and does not run them.
type python > /dev/null; command -v python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
