# Starts a program that is not there, and hides it.
printf 'python no_such.py --data citeseer --alpha 0.5 --k 40 --adj DA || true\n' > run.sh
