#!/bin/bash
# ribbons from their outlines: needs the large kernel, an outline says little about its inside
python train.py --run_name ribbons_outline --clips ribbons --guide outline \
    --net residual --kernel 5 --maps 9 \
    --penalty charbonnier --knee 0.05 --report_every 2
