# Does something else of the repository's, well.
printf 'cd examples/label_propagation\npython main.py --data pubmed --alpha 0.9 --k 10 --adj DA\n' > run.sh
