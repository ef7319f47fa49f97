# The right command gets no memory.
(ulimit -v 4000; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA) || :
