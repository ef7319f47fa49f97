# The right command, and then help.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --help
