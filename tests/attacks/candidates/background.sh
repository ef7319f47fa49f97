# Starts the right command in the background and ends at once.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA &
