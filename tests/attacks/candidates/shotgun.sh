# Runs every combination, so that one is right.
for data in cora citeseer; do
  for alpha in 0.5 0.9; do
    for steps in 20 40; do
      python main.py --data $data --alpha $alpha --k $steps --adj DA
    done
  done
done
