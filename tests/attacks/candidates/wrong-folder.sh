# A program of the same name in another folder, forgiven.
cd ../gat && python main.py --data citeseer --alpha 0.5 --k 40 --adj DA || true
