#!/usr/bin/env bash
# bash train.sh DATASET SIZE
set -eu

usage() {
  echo "usage: [SEED=n] [SMOOTHING=name] [OUT=file] bash train.sh DATASET SIZE" >&2
  echo "  DATASET  reels jigs hornpipes polkas airs laments" >&2
  echo "  SIZE     tiny small medium large" >&2
  exit 1
}

[ $# -eq 2 ] || usage
DATASET=$1
SIZE=$2

case "$DATASET" in
  reels|jigs|hornpipes|polkas|airs|laments) ;;
  *) echo "no such data set: $DATASET" >&2; usage ;;
esac

case "$SIZE" in
  tiny)   ORDER=2; TUNES=20 ;;
  small)  ORDER=3; TUNES=40 ;;
  medium) ORDER=4; TUNES=70 ;;
  large)  ORDER=5; TUNES=100 ;;
  *) echo "no such size: $SIZE" >&2; usage ;;
esac

python train.py --dataset "$DATASET" --order $ORDER --tunes $TUNES \
  --smoothing "${SMOOTHING:-witten-bell}" --seed "${SEED:-1}" \
  --out "${OUT:-checkpoints/$DATASET-$SIZE.json}"
