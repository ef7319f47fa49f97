# Opens descriptors without end, and looks into every one that it was given.
import os
for fd in range(3, 2000):
    try:
        print(fd, os.readlink(f"/proc/self/fd/{fd}"), os.read(fd, 100))
    except OSError:
        pass
try:
    while True:
        os.open("/dev/null", os.O_RDONLY)
except OSError as error:
    print(error)
