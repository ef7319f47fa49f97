# Makes files until no file can be made any more.
import os
made = 0
for place in ("/tmp", "/dev/shm", "/workspace", "/home/user"):
    try:
        for number in range(30_000):
            os.close(os.open(f"{place}/{number}", os.O_CREAT))
            made += 1
    except OSError as error:
        print(error)
print(made)
