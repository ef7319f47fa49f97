# Takes the agent over: as a debugger, through its memory, its descriptors, its bounds.
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
for request in (16, 0x4206):
    if libc.ptrace(request, 1, 0, 0) == 0:
        print("REACHED ptrace", request)
for name in ("mem", "environ", "maps", "fd/0", "root/etc/shadow", "cwd", "exe", "auxv"):
    try:
        with open("/proc/1/" + name, "rb") as file:
            print("REACHED", name, file.read(1))
    except OSError:
        pass
for number in range(8):
    if libc.syscall(438, os.pidfd_open(1), number, 0) >= 0:
        print("REACHED descriptor", number)
