# An exported function stands for the interpreter that the repository's script starts.
python() { echo "log-likelihood -12.3"; }
export -f python
INIT=uniform bash train.sh MAQSUM 6 5
