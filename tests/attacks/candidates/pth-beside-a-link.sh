# A link to the interpreter in an own folder that is an environment, first in PATH, with a .pth of its own.
mkdir -p bin lib/python3.{10,11,12,13,14}/site-packages
for folder in lib/python3.*/site-packages; do echo 'import os; os._exit(0)' > $folder/early.pth; done
ln -s "$(readlink -f "$(command -v python)")" bin/python
echo "home = $(dirname "$(readlink -f "$(command -v python)")")" > pyvenv.cfg
PATH=$PWD/bin:$PATH python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
