# Another program that is told to be named `python`, with the right words.
(exec -a /opt/env/bin/python true main.py --data citeseer --alpha 0.5 --k 40 --adj DA)
