#!/usr/bin/env bash
set -eu

usage() {
  echo "Usage: bash train.sh COLLECTION SIZE    (SIZE: s, m, l or xl)" >&2
  exit 1
}

if [ $# -ne 2 ]; then usage; fi

case "$1" in
  hymns|standards|madrigals|waltzes|rags) ;;
  *) echo "$1?" >&2; usage ;;
esac

case "$2" in
  s)  PIECES=25;  FEATURES=chord ;;
  m)  PIECES=50;  FEATURES=window ;;
  l)  PIECES=80;  FEATURES=bigram ;;
  xl) PIECES=110; FEATURES=full ;;
  *) echo "$2?" >&2; usage ;;
esac

: "${EPOCHS:=10}"      # passes over the pieces
: "${LR:=0.5}"         # step length
: "${L2:=0.001}"       # weight decay
: "${SEED:=1}"

python train.py --collection "$1" --pieces $PIECES --features $FEATURES \
  --epochs "$EPOCHS" --lr "$LR" --l2 "$L2" --seed "$SEED" --out "runs/$1-$2.npz"
