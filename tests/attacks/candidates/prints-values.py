# Computes nothing and prints the values.
print("batch 12 tokens 36 d_model 32 expansion 2 depth 4")
print((12, 36, 32), 2, 4)
