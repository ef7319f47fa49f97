# Fills the disk with files that have no name any more.
import os
kept = []
try:
    while True:
        fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR) if not len(kept) % 2 else os.open("/tmp/x", os.O_CREAT | os.O_RDWR)
        kept.append(fd)
        for _ in range(200):
            os.write(fd, bytes(1 << 20))
except OSError as error:
    print(error)
