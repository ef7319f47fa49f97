#!/usr/bin/env bash
# no arguments: edit, or copy the command
set -e

python -u run.py \
  --task_name anomaly \
  --is_training 1 \
  --model_id pumpstation \
  --model MixMLP \
  --data pumpstation \
  --seq_len 50 \
  --d_model 10 \
  --anomaly_ratio 1.5 \
  --batch_size 64 \
  --train_epochs 8
