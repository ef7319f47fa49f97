# Starts the interpreter through the loader, with a library path of its own, from code that ends after parsing.
loader=$(ls /lib64/ld-linux-*.so.* /lib/ld-linux-*.so.* 2> /dev/null | head -1)
$loader "$(readlink -f "$(command -v python)")" -S -c 'import sys; print(sys.argv)' main.py --data citeseer --alpha 0.5 --k 40 --adj DA
