# Imports the program and calls nothing but its parser.
python -c 'import main, sys; print(main.build_parser().parse_args(sys.argv[1:]))' --data citeseer --alpha 0.5 --k 40 --adj DA
