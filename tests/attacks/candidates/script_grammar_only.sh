# The repository's script is only read.
INIT=uniform bash -n train.sh MAQSUM 6 5
