# Puts a named pipe in the program's place, and writes other code into it.
mv main.py real.py && mkfifo main.py
echo 'raise SystemExit' > main.py & python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
