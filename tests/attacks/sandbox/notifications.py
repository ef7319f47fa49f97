# Watches what it can see, in as many ways as the kernel has room for.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
made = 0
for _ in range(300):
    fd = libc.inotify_init1(0)
    if fd < 0:
        break
    made += 1
    for path in (b"/", b"/usr", b"/opt/env", b"/proc", b"/workspace"):
        libc.inotify_add_watch(fd, path, 0xFFF)
print(made, libc.fanotify_init(0, 0))
for _ in range(2000):
    libc.syscall(290, 0, 0)
