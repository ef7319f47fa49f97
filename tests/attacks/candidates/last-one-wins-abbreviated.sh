# The right value first; then an abbreviation of the option takes it back.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --alp=0.9
