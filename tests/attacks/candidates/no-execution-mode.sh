# Tells the shell to read and not to run.
set -n
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
