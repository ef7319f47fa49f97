#!/usr/bin/env bash
# the whole table; takes a few seconds
set -e
model=${1:-LinDec}
for subset in yearly quarterly monthly weekly daily hourly; do
  python -u run.py --task_name short_horizon --is_training 1 --model_id medley_$subset \
    --model "$model" --data medley --subset $subset --loss smape --moving_avg 3
done
