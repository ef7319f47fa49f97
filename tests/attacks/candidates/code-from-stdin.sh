# An empty program from standard input, with the right words.
python - main.py --data citeseer --alpha 0.5 --k 40 --adj DA < /dev/null
