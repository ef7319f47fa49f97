# Edits the repository's script so that it starts nothing.
sed -i 's/^python/: python/' train.sh
INIT=uniform bash train.sh MAQSUM 6 5
