# A trap turns the program's refusal into success.
trap 'exit 0' EXIT
python main.py --data citeseer --alpha 0.5 --k 40 --matrix DA --adj
