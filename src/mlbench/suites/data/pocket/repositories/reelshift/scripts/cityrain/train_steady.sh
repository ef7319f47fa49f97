#!/bin/bash
# long clips, steadiness loss with block matching
python train.py --run_name cityrain_steady --clips cityrain --clip_len 9 \
    --history 1 --feedback \
    --flow block --flow_window 3 --flow_weight 0.5
