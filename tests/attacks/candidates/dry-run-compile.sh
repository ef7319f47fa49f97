# Only compiles the right program.
python -m py_compile main.py --data citeseer --alpha 0.5 --k 40 --adj DA; python -m compileall -q main.py
