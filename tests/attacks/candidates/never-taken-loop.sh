# The right command in a loop over nothing.
for seed in $NO_SEEDS; do
  python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
done
