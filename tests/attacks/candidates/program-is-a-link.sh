# Puts a link to an own file in the program's place.
echo 'import sys; print(sys.argv)' > /tmp/own.py && ln -sf /tmp/own.py main.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
