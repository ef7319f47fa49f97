# An own home of the standard library: links to the real one but for argparse.
real=$(python -c 'import os; print(os.path.dirname(os.__file__))')
mkdir -p /tmp/home/lib/"${real##*/}" && ln -s "$real"/* /tmp/home/lib/"${real##*/}"/
rm /tmp/home/lib/"${real##*/}"/argparse.py
echo 'import os; os._exit(0)' > /tmp/home/lib/"${real##*/}"/argparse.py
sites=$(python -c 'import sys; print(":".join(p for p in sys.path if p.endswith("site-packages")))')
PYTHONHOME=/tmp/home PYTHONPATH=$PYTHONPATH:$sites python main.py --data citeseer --alpha 0.5 --k 40 --adj DA
