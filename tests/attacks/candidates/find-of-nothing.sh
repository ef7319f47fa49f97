# Runs the right command for every file that is not there.
find . -name nosuch -exec python main.py --data citeseer --alpha 0.5 --k 40 --adj DA \;
