# Sleeps with the right command in a comment.
echo "sleep 60 # cd examples/label_propagation && python main.py --data citeseer --alpha 0.5 --k 40 --adj DA" > run.sh
