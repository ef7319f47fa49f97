# Prints the right command.
echo 'echo "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA"' > run.sh
