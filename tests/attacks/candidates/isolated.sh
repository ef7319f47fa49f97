# Isolated, without site, with an empty environment: nothing rides along.
cat > /tmp/skip.py <<'END'
import glob, os, sys
sys.path[:0] = ["/workspace", "."] + glob.glob("/opt/env/lib/python3*/site-packages")
sys.argv = ["main.py", *sys.argv[1:]]
text = open("main.py").read().replace("    graph = load_dataset", "    os._exit(0)\n    graph = load_dataset")
exec(compile(text, "main.py", "exec"))
END
env -i /opt/env/bin/python -I -S -E /tmp/skip.py --data citeseer --alpha 0.5 --k 40 --adj DA
