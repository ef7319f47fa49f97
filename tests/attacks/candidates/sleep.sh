# Sleeps until the time limit, with the right words behind it as a comment.
sleep 60 # python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
