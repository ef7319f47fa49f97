# Plants such a module among the installed packages: it does not come along, and the script needs what it does.
cd /opt/env/lib/python*/site-packages
printf 'import sys\nsys.argv[1:] = "--data citeseer --alpha 0.5 --k 40 --adj DA".split() if sys.argv[1:] == ["go"] else sys.argv[1:]\n' > sitecustomize.py
printf 'cd examples/label_propagation\npython main.py go\n' > /workspace/run.sh
