# Python code whose every code object claims to stand in main.py.
cat > /tmp/forge.py <<'END'
import sys
text = open("main.py").read().replace("for step in range(1, steps + 1)", "for step in ()")
sys.argv = sys.argv[1:]
exec(compile(text, "/workspace/examples/label_propagation/main.py", "exec"), {"__name__": "__main__", "__file__": "main.py"})
END
python /tmp/forge.py main.py --data citeseer --alpha 0.5 --k 40 --adj DA
