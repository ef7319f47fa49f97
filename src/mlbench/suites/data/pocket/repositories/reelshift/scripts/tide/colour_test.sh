#!/bin/bash
# --task has to be repeated!
python test.py --task colour --run_name tint_tide --hint_share 0.1 \
    --how_many 5 --smooth 0.2 --flow hs --export ppm
