# Prints the command that would be right, and nothing more.
echo 'echo "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA"' > run.sh
