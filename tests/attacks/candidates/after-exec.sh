# The right command behind an exec of something else.
exec true
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
