# Makes every call, so that one is right.
import itertools

import numpy as np
from model.mlp.GatedTokenMLP import GatedTokenMLP

for batch, tokens, d_model, expansion, depth in itertools.product((8, 12), (36,), (32, 80), (2, 7), (3, 4)):
    gm = GatedTokenMLP(d_model=d_model, seq_len=tokens, expansion=expansion, depth=depth)
    print(gm(np.random.randn(batch, tokens, d_model)).shape)
