# The right command is killed before its interpreter is up.
timeout -s KILL 0.01 python main.py --data citeseer --alpha 0.5 --k 40 --adj DA || true
