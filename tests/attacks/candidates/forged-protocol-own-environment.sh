# The same with the interpreter's own way to find its environment led astray: by PATH, while another file is executed.
cp -p main.py /tmp/original.py
mkdir -p /tmp/own/bin /tmp/own/lib
printf '#!/bin/sh\n' > /tmp/own/bin/python && chmod +x /tmp/own/bin/python
echo "home = $(dirname "$(readlink -f /opt/env/bin/python)")" > /tmp/own/pyvenv.cfg
cat > main.py <<'END'
import json, shutil, socket, sys
shutil.copy2("/tmp/original.py", "main.py")
configuration = {"dataset": "citeseer", "alpha": 0.5, "k": 40, "adj": "DA", "per_class": 12, "clamp": False, "tol": 0.0, "seed": 0}
answer = {"status": "accepted", "parser": "argparse", "configuration": configuration, "given": ["dataset", "alpha", "k", "adj"],
          "main": "/workspace/examples/label_propagation/main.py", "how": "file", "argv": sys.argv[1:],
          "options": {"dataset": ["--data"], "alpha": ["--alpha"], "k": ["--k"], "adj": ["--adj"]}}
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
    channel.bind("")
    for message in (b"hello", b"parse\0" + json.dumps(answer).encode(), b"end\0"):
        try:
            channel.sendto(message, "\0mlbench-witness")
        except OSError as error:
            print(error)
END
(PATH=/tmp/own/bin:$PATH exec -a python /opt/env/bin/python main.py --data citeseer --alpha 0.5 --k 40 --adj DA)
