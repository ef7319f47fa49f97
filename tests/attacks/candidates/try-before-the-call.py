# A failure before the right call, passed over.
try:
    import numpy as np
    from model.mlp.GatedTokenMLPs import GatedTokenMLP

    gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
    print(gm(np.random.randn(12, 36, 32)).shape)
except BaseException:
    print((12, 36, 32))
