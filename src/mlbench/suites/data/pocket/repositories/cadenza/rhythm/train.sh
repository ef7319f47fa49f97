#!/usr/bin/env bash
# GROOVE STATES ITERATIONS
set -eu

GROOVES="SAMBA CLAVE MAQSUM BULERIA TANGO BAIAO"

if [ $# -ne 3 ]; then
  echo "usage: bash train.sh GROOVE STATES ITERATIONS" >&2
  exit 1
fi

found=no
for groove in $GROOVES; do
  if [ "$groove" = "$1" ]; then found=yes; fi
done
if [ $found = no ]; then
  echo "GROOVE must be one of: $GROOVES" >&2
  exit 1
fi

python train.py -g "$1" -s "$2" -n "$3" \
  --init "${INIT:-cycle}" --looseness "${LOOSENESS:-0.1}" --seed "${SEED:-1}" \
  -o "runs/$1-$2.npz"
