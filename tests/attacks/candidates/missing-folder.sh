# A folder that is not there, forgiven, and the right command behind it.
cd label_propagation && python main.py --data citeseer --alpha 0.5 --k 40 --adj DA || true
