# A wrong value in the right place; the right one stands in a comment.
python main.py --data citeseer --alpha 0.15 --k 40 --adj DA # --alpha 0.5
