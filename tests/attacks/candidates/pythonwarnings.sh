# A warning filter names a class of an own module, which the interpreter imports before any other code.
mkdir -p /tmp/plant && echo 'import os; os._exit(0)' > /tmp/plant/early.py
PYTHONPATH=/tmp/plant:$PYTHONPATH PYTHONWARNINGS=ignore::early.Warning python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
