# Brings a Python of its own, whose library is changed.
mkdir -p own/bin && ln -s /opt/env/bin/python own/bin/python && cp /opt/env/pyvenv.cfg own/
printf 'cd examples/label_propagation\n/workspace/own/bin/python main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
