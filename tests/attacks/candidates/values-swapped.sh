# The wanted number of steps is the number of known labels, and the default of that the number of steps.
python main.py --data citeseer --alpha 0.5 --k 12 --per-class 40 --adj DA
