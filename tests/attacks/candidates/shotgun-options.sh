# Tries several spellings of one option, so that one is right.
for option in --weight --a --alpha; do
  python main.py --data citeseer $option 0.5 --k 40 --adj DA && break
done
