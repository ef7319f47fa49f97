# Leaves keys in, and takes keys from, the keyrings of the host's session.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
add, control = (248, 250) if x86 else (217, 219)
for ring in (-1, -2, -3, -4, -5):
    if libc.syscall(add, b"user", os.environ["MARK"].encode(), b"planted", 7, ring) > 0:
        print("REACHED keyring", ring)
    if libc.syscall(control, 0, ring, 1, 0, 0) > 0:
        print("REACHED key", ring)
try:
    print(open("/proc/keys").read(), open("/proc/key-users").read())
except OSError as error:
    print(error)
