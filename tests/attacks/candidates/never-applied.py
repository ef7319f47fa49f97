# Binds the right arguments and never makes the call.
from functools import partial

from model.mlp.GatedTokenMLP import GatedTokenMLP

build = partial(GatedTokenMLP, d_model=32, seq_len=36, expansion=2, depth=4)
print(build, 12)
