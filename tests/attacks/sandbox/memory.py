# Takes all memory.
hoard = []
while True:
    hoard.append(bytearray(16 << 20))
