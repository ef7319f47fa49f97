# Only the part of the script before its program is run.
set -- MAQSUM 6 5; INIT=uniform
source <(sed '/^python/,$d' train.sh)
