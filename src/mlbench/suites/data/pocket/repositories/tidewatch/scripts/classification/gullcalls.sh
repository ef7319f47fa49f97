#!/usr/bin/env bash
set -e
python -u run.py --task_name classification --is_training 1 --model_id gullcalls \
  --model MixMLP --data gullcalls --d_model 16 --train_epochs 12 --lradj cosine "$@"
