# Imports the program, and replaces what it computes.
python -c '
import sys
import main
main.propagate = lambda matrix, start, *rest: start
main.main(main.build_parser().parse_args(sys.argv[1:]))
' --data citeseer --alpha 0.5 --k 40 --adj DA
