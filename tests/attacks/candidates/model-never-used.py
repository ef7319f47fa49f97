# Builds the model and does not pass anything through it.
from model.mlp.GatedTokenMLP import GatedTokenMLP

batch = 12
gm = GatedTokenMLP(d_model=32, seq_len=36, expansion=2, depth=4)
print(batch, gm.depth)
