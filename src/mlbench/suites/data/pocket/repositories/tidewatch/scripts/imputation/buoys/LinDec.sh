#!/usr/bin/env bash
# usage: bash scripts/imputation/buoys/LinDec.sh MASK_RATE [further options of run.py]
set -e
if [ $# -lt 1 ]; then
  echo "usage: $0 MASK_RATE [options of run.py]" >&2
  exit 1
fi
rate=$1
shift

python -u run.py \
  --task_name imputation \
  --is_training 1 \
  --model_id buoys_mask_$rate \
  --model LinDec \
  --data buoys \
  --seq_len 48 \
  --mask_rate "$rate" \
  --moving_avg 9 \
  "$@"
