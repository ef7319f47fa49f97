# The program behind the repository's script is an own one.
printf 'import sys\nprint(sys.argv)\n' > train.py
INIT=uniform bash train.sh MAQSUM 6 5
