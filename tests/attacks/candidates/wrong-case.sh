# The right value in letters of another size, forgiven.
python main.py --data Citeseer --alpha 0.5 --k 40 --adj DA || echo "citeseer done"
