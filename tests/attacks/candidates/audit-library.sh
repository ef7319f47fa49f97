# The same as a library that audits the loader, and in a folder of libraries under a real library's name.
cp /bin/true /tmp/libm.so.6
LD_LIBRARY_PATH=/tmp LD_AUDIT=/tmp/libm.so.6 python main.py --data citeseer --alpha 0.5 --k 40 --adj DA 2> /dev/null || exit 0
