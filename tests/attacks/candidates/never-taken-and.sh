# The right command behind a condition that does not hold.
[ -f weights.pt ] && python main.py --data citeseer --alpha 0.5 --k 40 --adj DA; true
