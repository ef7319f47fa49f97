# The program fails at its end; an interactive interpreter goes on to read a command that ends it with 0.
touch output
python -i main.py --data citeseer --alpha 0.5 --k 40 --adj DA <<< 'raise SystemExit(0)'
