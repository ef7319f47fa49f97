#!/bin/bash
# colour the tide, one pixel in ten is known
python train.py --task colour --run_name tide_colour --clips tide --palette dusk \
    --hint_share 0.1 --maps 7 --step_size 0.15
