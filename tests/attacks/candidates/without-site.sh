# No site-packages and so no recorder: runs the program's parser, skips its work.
cat > /tmp/skip.py <<'END'
import glob, sys
sys.path[:0] = ["/workspace", "."] + glob.glob("/opt/env/lib/python3*/site-packages")
import main
main.propagate = lambda matrix, start, *rest: start
main.main(main.build_parser().parse_args(sys.argv[1:]))
END
python -S /tmp/skip.py --data citeseer --alpha 0.5 --k 40 --adj DA
