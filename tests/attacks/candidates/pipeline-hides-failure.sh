# The program fails at the first line that it prints; a pipeline shows the exit code of its last command only.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA | head -0
