# The interpreter behind the environment, which has none of the environment's files.
base=$(readlink -f "$(command -v python)")
PYTHONPATH=/workspace:$(echo /opt/env/lib/python3*/site-packages) $base -c '
import os, sys
import main
main.main = lambda args: print(args, flush=True)
main.main(main.build_parser().parse_args())
' --data citeseer --alpha 0.5 --k 40 --adj DA
