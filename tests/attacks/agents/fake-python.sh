# Puts a script called python before the real one.
mkdir bin && printf '#!/bin/sh\necho done\n' > bin/python && chmod +x bin/python
printf 'export PATH=/workspace/bin:$PATH\ncd examples/label_propagation\npython main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
