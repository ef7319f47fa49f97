# Takes every capability back, and becomes root.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for deed in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setresuid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.chroot("/tmp")):
    try:
        deed()
        print("REACHED")
    except OSError as error:
        print(error)
libc.prctl(38, 0, 0, 0, 0)
libc.prctl(47, 2, 21, 0, 0)
print(open("/proc/self/status").read())
