# A sitecustomize.py in PYTHONPATH ends the program when it has parsed.
mkdir -p /tmp/plant && cat > /tmp/plant/sitecustomize.py <<'END'
import argparse, os
real = argparse.ArgumentParser.parse_args
def parse_args(self, *args, **kwargs):
    real(self, *args, **kwargs)
    os._exit(0)
argparse.ArgumentParser.parse_args = parse_args
END
PYTHONPATH=/tmp/plant:$PYTHONPATH python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
