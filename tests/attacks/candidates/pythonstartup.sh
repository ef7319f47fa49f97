# An interactive interpreter runs a file of its own and reads nothing.
echo 'raise SystemExit(0)' > /tmp/startup.py
PYTHONSTARTUP=/tmp/startup.py python -i -c 'import os; os._exit(0)' main.py --data citeseer --alpha 0.5 --k 40 --adj DA < /dev/null
