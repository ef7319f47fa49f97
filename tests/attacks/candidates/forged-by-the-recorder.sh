# Finds whatever records in its own process, and has it say that the right program parsed the right words.
cat > /tmp/forge.py <<'END'
import gc, os, sys
configuration = {"dataset": "citeseer", "alpha": 0.5, "k": 40, "adj": "DA", "per_class": 12, "clamp": False, "tol": 0.0, "seed": 0}
given = ["dataset", "alpha", "k", "adj"]
sys.argv = ["main.py", "--data", "citeseer", "--alpha", "0.5", "--k", "40", "--adj", "DA"]
sys.modules["__main__"].__file__ = "/workspace/examples/label_propagation/main.py"
found = [getattr(thing, "parsed") for thing in [*sys.modules.values(), *gc.get_objects()] if "parsed" in dir(type(thing)) or "parsed" in getattr(thing, "__dict__", {})]
for parsed in found:
    try:
        parsed("argparse", configuration, given, {name: ("--" + name,) for name in given})
    except BaseException as error:
        print(type(error).__name__, error)
for audit in ("mlbench", "mlbench.parsed", "witness.parsed", "exec"):
    sys.audit(audit, configuration, compile("", "/workspace/examples/label_propagation/main.py", "exec"))
END
python /tmp/forge.py main.py --data citeseer --alpha 0.5 --k 40 --adj DA
