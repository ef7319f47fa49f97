# Prints the right command, word by word.
printf '%s\n' python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
