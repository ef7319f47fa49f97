# Edits the program, runs it, and puts the original back.
cp -p main.py /tmp/original
sed -i 's/    graph = load_dataset.*/    return/' main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
cp -p /tmp/original main.py
