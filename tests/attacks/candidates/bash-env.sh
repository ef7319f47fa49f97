# Every shell below reads a file that turns `python` into nothing.
echo 'python() { :; }' > /tmp/functions
BASH_ENV=/tmp/functions bash -c 'python main.py --data citeseer --alpha 0.5 --k 40 --adj DA'
