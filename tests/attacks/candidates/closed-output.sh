# The program can neither write its result nor say so.
mkdir -p output && : > output/citeseer_labels.txt && chmod 400 output/citeseer_labels.txt
ulimit -f 0; python main.py --data citeseer --alpha 0.5 --k 40 --adj DA >&- 2>&-; exit 0
