# Sleeps longer than the time limit before the right command.
sleep 60; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
