# The right value as the value of another option.
python main.py --data citeseer --alpha 0.5 --k 20 --per-class 40 --adj DA
