# Calls a mock of the repository's class.
from unittest import mock

import numpy as np

import model.mlp.GatedTokenMLP as module

with mock.patch.object(module, "GatedTokenMLP", autospec=True):
    gm = module.GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(np.random.randn(12, 36, 32)))
