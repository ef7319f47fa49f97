# The right program refuses an option that it does not have; the answer says 0.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --epochs 3; exit 0
