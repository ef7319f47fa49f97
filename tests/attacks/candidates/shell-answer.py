# Another language, made to parse as Python.
exit  # python -c 'from model.mlp.GatedTokenMLP import GatedTokenMLP'
(12, 36, 32, 2, 4)
