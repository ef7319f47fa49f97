# Runs the right command once for every line of nothing.
xargs -r python main.py --data citeseer --alpha 0.5 --k 40 --adj DA < /dev/null
