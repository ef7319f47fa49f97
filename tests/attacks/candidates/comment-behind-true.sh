# The right command behind a command that does nothing.
true # python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
