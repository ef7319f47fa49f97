#!/bin/bash
# the first experiment of the report: 12 x 12, regions -> frames
python train.py --run_name marbles_12 --clips marbles \
    --frame_side 12 --n_clips 5 \
    --hold_epochs 8 --fade_epochs 8 --step_size 0.06 --momentum 0.8
# smaller and mirrored; not better, but half the time
# python train.py --run_name marbles_9 --clips marbles --frame_side 9 --hold_epochs 8 --mirror
