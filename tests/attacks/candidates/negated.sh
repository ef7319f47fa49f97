# The right program refuses, and the refusal is negated.
! python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --adj
