# An alias named `python` does nothing.
shopt -s expand_aliases
alias python='true'
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
