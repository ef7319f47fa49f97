#!/bin/bash
# our weights, held-out clips 0-5, middle of the frame only
python test.py --run_name painter_marbles --how_many 6 --open_with real \
    --measures psnr flicker --border 1 --export json
