# The program cannot write its result, after all its work; forgiven.
touch output
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA || true
