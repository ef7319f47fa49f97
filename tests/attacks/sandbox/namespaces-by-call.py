# Makes namespaces by the calls themselves, also by the newer ones, which filters forget.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x00020000, 0x40000000, 0x08000000, 0x20000000, 0x02000000, 0x04000000, 0x10020000):
    if libc.unshare(flag) == 0:
        print("REACHED unshare", hex(flag))
clone_args = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
pid = libc.syscall(435, clone_args, 88)
if pid == 0:
    os.write(1, b"REACHED clone3\n")
    os._exit(0)
for number in (428, 429, 430, 431, 432, 442):
    if libc.syscall(number, -100, b"/usr", 1 | 0x8000, 0, 0) >= 0 and number != 428:
        print("REACHED", number)
