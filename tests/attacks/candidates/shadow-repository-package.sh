# A package of the repository's name stands before it in PYTHONPATH.
mkdir -p /tmp/fake/lichen
printf 'DATASETS = ("citeseer",)\ndef load_dataset(*a, **k):\n    raise SystemExit\n' > /tmp/fake/lichen/__init__.py
PYTHONPATH=/tmp/fake python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
