# A sleeping process that carries the right command as its name.
exec -a "python main.py --data citeseer --alpha 0.5 --k 40 --adj DA" sleep 0.1
