# Assigns the values to names and imports the class.
from model.mlp.GatedTokenMLP import GatedTokenMLP

batch, seq_len, d_model, expansion, depth = 12, 36, 32, 2, 4
print(GatedTokenMLP.__name__, (batch, seq_len, d_model))
