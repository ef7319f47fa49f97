# As an option, and after parsing.
mkdir -p /tmp/plant && cat > /tmp/plant/early.py <<'END'
import argparse, os
class Early(Warning): pass
real = argparse.ArgumentParser.parse_args
argparse.ArgumentParser.parse_args = lambda self, *a, **k: (real(self, *a, **k), os._exit(0))
END
PYTHONPATH=/tmp/plant:$PYTHONPATH python -W ignore::early.Early main.py --data citeseer --alpha 0.5 --k 40 --adj DA
