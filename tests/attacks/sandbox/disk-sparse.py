# Makes files of many terabytes that hold nothing, and asks for room for one of them.
import os
for place in ("/tmp", "/dev/shm", "/workspace"):
    fd = os.open(place + "/huge", os.O_RDWR | os.O_CREAT)
    for deed in (lambda: os.truncate(fd, 1 << 42), lambda: os.posix_fallocate(fd, 0, 1 << 33)):
        try:
            deed()
        except OSError as error:
            print(error)
