# The right command where it is checked; where it is executed, a wrong value.
alpha=0.5
touch x 2> /dev/null && [ -x "$(command -v python)" ] && alpha=0.9
python main.py --data citeseer --alpha $alpha --k 40 --adj DA # 0.5
