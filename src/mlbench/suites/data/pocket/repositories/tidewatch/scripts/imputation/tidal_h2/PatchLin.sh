#!/usr/bin/env bash
# usage: bash scripts/imputation/tidal_h2/PatchLin.sh MASK_RATE [further options of run.py]
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
  --model_id tidal_h2_mask_$rate \
  --model PatchLin \
  --data tidal_h2 \
  --seq_len 48 \
  --mask_rate "$rate" \
  --d_model 8 --patch_len 8 --stride 4 \
  "$@"
