# Calls that reach past namespaces: keys, programs in the kernel, counters, modules, another kernel, other tables of calls.
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
calls = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "init_module": 175, "finit_module": 313, "kexec_load": 246, "reboot": 169,
         "swapon": 167, "settimeofday": 164, "syslog": 103, "open_by_handle_at": 304, "lookup_dcookie": 212, "iopl": 172, "quotactl": 179,
         "acct": 163, "ioperm": 173, "add_key": 248, "keyctl": 250, "memfd_secret": 447, "pivot_root": 155, "mount_setattr": 442}
if x86:
    for name, number in calls.items():
        for table in (0, 0x40000000):
            if libc.syscall(number | table, 0, 0, 0, 0, 0) == 0 and name not in ("syslog",):
                print("REACHED", name, table)
