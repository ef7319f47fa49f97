# A makefile with the right command, shown and not run.
printf 'all:\n\tpython main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > Makefile
make -n
