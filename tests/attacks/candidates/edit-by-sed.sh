# Edits the program so that it does one step.
sed -i 's/range(1, steps + 1)/range(1, 2)/' main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
