# Edits what a right value means.
sed -i 's/"DA": "row"/"DA": "none"/' main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
