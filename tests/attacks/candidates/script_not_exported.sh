# A variable that the script needs is set, and not handed down.
INIT=uniform
bash train.sh MAQSUM 6 5
