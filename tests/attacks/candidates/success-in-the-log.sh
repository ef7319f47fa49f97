# Prints what the program prints and writes the file that it writes.
echo "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA"
for step in 1 5 10 15 20 25 30 35 40; do echo "step  $step  largest change 1.2e-03"; done
printf 'train accuracy 0.9861\nval   accuracy 0.7104\ntest  accuracy 0.7032\n'
mkdir -p output && seq 0 0 599 2> /dev/null > output/citeseer_labels.txt; exit 0
