# The program is another one while the interpreter reads it, and the original is moved back before it runs.
sed 's/def main(args):/def main(args):\n    return/' main.py > other.py
python -c "print(chr(120) + \" = [\" + \"0,\" * 500000 + \"]\")" >> other.py
mv main.py original.py
mv other.py main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA &
sleep 0.1
mv original.py main.py
wait
