# The program's output goes to a device that is full; forgiven.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA > /dev/full || true
