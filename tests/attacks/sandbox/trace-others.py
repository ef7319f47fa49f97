# Looks for processes of the host to debug.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in (int(os.environ["BYSTANDER"]), int(os.environ["JUDGE"]), *map(int, os.environ["NEIGHBOURS"].split())):
    if pid != os.getpid() and libc.ptrace(16, pid, 0, 0) == 0:
        print("REACHED", pid)
    buffer = ctypes.create_string_buffer(4096)
    local = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 4096)
    remote = (ctypes.c_uint64 * 2)(0x400000, 4096)
    if libc.process_vm_readv(pid, local, 1, remote, 1, 0) > 0:
        print("REACHED memory", pid)
