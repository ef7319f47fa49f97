# Another class of the repository under the right one's name.
import numpy as np
from model.mlp.TokenMixer import TokenMixer as GatedTokenMLP

x = np.random.randn(12, 36, 32)
gm = GatedTokenMLP(d_model=32, n_tokens=36, token_hidden=2, depth=4)
print(gm(x).shape)
