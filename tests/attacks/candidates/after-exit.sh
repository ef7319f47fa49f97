# The right command behind the end.
exit 0
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
