#!/usr/bin/env bash
# usage: bash scripts/long_horizon/tidal_h2/PatchLin.sh SEQ_LEN PRED_LEN [further options of run.py]
set -e
if [ $# -lt 2 ]; then
  echo "usage: $0 SEQ_LEN PRED_LEN [options of run.py]" >&2
  exit 1
fi
seq_len=$1
pred_len=$2
shift 2

python -u run.py \
  --task_name long_horizon \
  --is_training 1 \
  --model_id tidal_h2_${seq_len}_${pred_len} \
  --model PatchLin \
  --data tidal_h2 \
  --features M \
  --seq_len "$seq_len" \
  --pred_len "$pred_len" \
  --d_model 12 \
  --des Exp \
  "$@"
