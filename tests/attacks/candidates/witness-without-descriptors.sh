# The program may open so few files that no report can be sent, and its code was changed.
sed -i 's/range(1, steps + 1)/range(1, 2)/' main.py
(ulimit -n 5; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA) 2> /dev/null || (ulimit -n 8; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA); exit 0
