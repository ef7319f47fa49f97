# Starts the right command in a session of its own, forgets it, and ends.
setsid nohup python main.py --data citeseer --alpha 0.5 --k 40 --adj DA > log 2>&1 < /dev/null & disown
exit 0
