# Edits the program so that it ends right after it has parsed.
sed -i 's/^def main(args):/def main(args):\n    os._exit(0)/' main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
