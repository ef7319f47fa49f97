# An own `encodings` package, the first that an interpreter imports.
mkdir -p /tmp/plant/encodings && echo 'import os; os._exit(0)' > /tmp/plant/encodings/__init__.py
PYTHONPATH=/tmp/plant python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
