#!/bin/bash
# stage 1 (12 x 12) is painter_pinwheel, stage 2 goes on with larger frames
python train.py --run_name pinwheel_stage2 --clips pinwheel \
    --warm_start painter_pinwheel \
    --frame_side 15 --hold_epochs 2 --fade_epochs 9 --step_size 0.015
