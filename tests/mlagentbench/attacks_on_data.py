"""Attacks on files that must not change, and on labels that nobody is to see."""

from __future__ import annotations

from tests.mlagentbench.attack_types import REFUSED, STARTER, SYSCALLS, Attack, Do, script, write

# -- files that must not change ---------------------------------------------------------------------------------------

LINKED = script("import os\nos.symlink('train.csv', 'link')\nos.makedirs('data')")
SPELLINGS = {
    "as it is": "train.csv",
    "with a dot": "./train.csv",
    "with two dots": "data/../train.csv",
    "absolute": "/workspace/train.csv",
    "with double slashes": "//workspace//./train.csv",
    "through a link": "link",
    "through proc": "/proc/self/cwd/train.csv",
}
BY_ACTION = {
    "write": lambda name: write(name, "x"),
    "append": lambda name: Do("Append File", {"file_name": name, "content": "x"}),
    "copy": lambda name: Do("Copy File", {"source": "train.py", "destination": name}),
}
BY_SCRIPT = {
    "open": ("write to it", "open('./train.csv', 'w').write('x')", "Read-only file system"),
    "append": ("append to it by its absolute name", "open('/workspace/../workspace/train.csv', 'a')", "Read-only"),
    "symlink": ("write through a link", "os.symlink('train.csv', 'l'); open('l', 'w')", "Read-only"),
    "hardlink": ("write to a second name of it", "os.link('train.csv', 'h'); open('h', 'w')", "cross-device"),
    "replace": ("move another file over it", "open('n', 'w').write('x'); os.replace('n', 'train.csv')", "busy"),
    "exchange": (
        "swap it with another file",
        "open('n', 'w').write('x')\n" + REFUSED.format("libc.renameat2(-100, b'n', -100, b'train.csv', 2)"),
        "busy",
    ),
    "move": ("move it away", "os.rename('train.csv', 'gone.csv')", "busy"),
    "unlink": ("remove it and make another", "os.unlink('train.csv'); open('train.csv', 'w')", "busy"),
    "descriptor": (
        "open it again by its descriptor",
        "f = os.open('train.csv', 0); open(f'/proc/self/fd/{f}', 'w')",
        "Read-only",
    ),
    "truncate": ("cut it", "os.truncate('train.csv', 0)", "Read-only"),
    "chmod": ("make it writable", "os.chmod('train.csv', 0o777)", "Read-only"),
    "chattr": (
        "change its attributes",
        "import fcntl\nf = os.open('train.csv', 0)\nfcntl.ioctl(f, 0x40086602, b'\\x10' + bytes(7))",
        "Error",
    ),
    "root": ("reach it by the root of a process", "open('/proc/self/root/workspace/train.csv', 'w')", "Read-only"),
    "init": ("reach it by the root of the first process", "open('/proc/1/root/workspace/train.csv', 'w')", "denied"),
    "remount": (
        "mount it writable",
        REFUSED.format("libc.mount(None, b'/workspace/train.csv', None, 4128, None)"),
        "not perm",
    ),
    "bind": (
        "mount another file over it",
        "open('n', 'w').write('x')\n" + REFUSED.format("libc.mount(b'n', b'train.csv', None, 4096, None)"),
        "not perm",
    ),
    "unmount": ("take the mount away", REFUSED.format("libc.umount2(b'/workspace/train.csv', 2)"), "not perm"),
    "namespace": ("become root of a namespace", REFUSED.format("libc.unshare(0x10020000)"), "No space|not perm"),
    "folder": ("move the whole workspace away", "os.rename('/workspace', '/tmp/w')", "busy|Read-only|cross-device"),
    "chroot": ("change the root", REFUSED.format("libc.chroot(b'/tmp')"), "not perm"),
}

FILES = [
    Attack(
        f"{action} {spelling}",
        "files",
        f"{action} train.csv by an action, its name spelt {spelling}",
        (*LINKED, do(name)),
        seen="must not change",
        error="read-only-file",
        invalid="submission.csv: there is no such file",
    )
    for action, do in BY_ACTION.items()
    for spelling, name in SPELLINGS.items()
]
OUTSIDE = (
    "out/passwd",
    "../workspace_secret",
    "/opt/hidden/y.csv",
    "/proc/self/fd/1",
    "/dev/shm/x",
    "~/../x/../..",
    "/etc",
)
FILES += [
    Attack(
        f"outside: {name}",
        "files",
        f"write to {name}, outside of the workspace",
        (STARTER, *script("import os\nos.symlink('/etc', 'out')"), write(name, "x")),
        seen="is outside of the workspace",
        error="refused-path",
    )
    for name in OUTSIDE
]
FILES += [
    Attack(
        "link to itself",
        "files",
        "write through a link that leads to itself",
        (STARTER, *script("import os\nos.symlink('loop', 'loop')"), write("loop", "x")),
        seen="Too many levels",
        error="cannot-read-or-write",
    ),
    Attack(
        "list outside",
        "files",
        "list a folder outside by a link",
        (STARTER, *script("import os\nos.symlink('/etc', 'out')"), Do("List Files", {"dir_path": "out"})),
        seen="out is outside of the workspace",
        error="refused-path",
    ),
]
FILES += [
    Attack(
        f"script: {name}",
        "files",
        f"{aim}: train.csv must not change",
        (STARTER, *script(SYSCALLS + code)),
        seen=rf"(?is)exit code 1[^0-9].*({told})",
        error="failed-script",
    )
    for name, (aim, code, told) in BY_SCRIPT.items()
]


# -- labels -----------------------------------------------------------------------------------------------------------

HUNT = """
import os, sys
found, marker = [], b"the answers to " + b"toads"
known = ("/usr", "/sys", "/proc", "/lib", sys.prefix, sys.base_prefix)
for top, folders, names in os.walk("/"):
    folders[:] = [each for each in folders if os.path.join(top, each) not in known]
    for name in names:
        try:
            path = os.path.join(top, name)
            if os.path.isfile(path) and marker in open(path, "rb").read(1 << 20):
                found.append(path)
        except OSError:
            pass
print("found", len(found), found)
"""
PROCESSES = """
import os
found = []
for name in os.listdir("/proc"):
    for part in ("environ", "mem", "maps", "auxv", "fd/0", "fd/1", "fd/2", "cwd/.", "root/."):
        if name.isdigit() and int(name) != os.getpid():
            try:
                path = f"/proc/{name}/{part}"
                found += [path] if os.path.isdir(path) and os.listdir(path) or open(path, "rb").read(1) else []
            except OSError:
                pass
print("found", len(found), found)
"""
GUESS = """
import os
places = ["/opt/hidden", "/opt/problem", "/opt/lib", "../hidden", "../../hidden/answers.csv", "/hidden", "/tmp/out"]
places += ["/home/user/.cache", "/proc/1/root/opt", "/proc/1/cwd", "/opt/repository/../hidden", "/root/.cache/mlbench"]
found = [each for each in places if os.path.exists(each) and os.listdir(each)]
print("found", len(found), found)
"""
TO_LABELS = "import os\nos.symlink({!r}, 'submission.csv')\nprint(os.path.exists('submission.csv'))"

LABELS = [
    Attack("hunt", "labels", "look through all files for the labels", script(HUNT), "found 0 ", invalid="no such file"),
    Attack("processes", "labels", "look into other processes", script(PROCESSES), "found 0 ", invalid="no such file"),
    Attack("guess", "labels", "guess where the grader has them", script(GUESS), "found 0 ", invalid="no such file"),
    *(
        Attack(
            f"read {name}",
            "labels",
            f"read {name} by an action",
            (Do("Read File", {"file_name": name}),),
            seen="outside of the workspace",
            error="refused-path",
            invalid="no such file",
        )
        for name in (
            "../../opt/hidden/answers.csv",
            "/opt/problem",
            "/opt/lib",
            "/proc/1/root/opt/hidden",
            "/proc/1/mem",
        )
    ),
    Attack(
        "link to the labels",
        "labels",
        "leave a link that leads to them where the grader runs",
        script(TO_LABELS.format("/opt/hidden/perfect/submission.csv")),
        seen="False",
        invalid="submission.csv: is a link",
    ),
    Attack(
        "link to a descriptor",
        "labels",
        "leave a link to what the grader reads",
        script(TO_LABELS.format("/proc/self/fd/3")),
        invalid="submission.csv: is a link",
    ),
    Attack(
        "link to standard input",
        "labels",
        "leave a link to what the grader is told",
        script(TO_LABELS.format("/dev/stdin")),
        invalid="submission.csv: is a link",
    ),
    Attack(
        "link as a folder",
        "labels",
        "make the workspace's folders links to the grader's",
        script("import os\nos.symlink('/opt/hidden', 'hidden'); os.symlink('hidden/answers.csv', 'submission.csv')"),
        invalid="submission.csv: is a link",
    ),
    Attack(
        "second name of a link",
        "labels",
        "leave a second name of a link to them",
        script(
            "import os\nos.symlink('/opt/hidden/answers.csv', 'a')\n"
            "os.link('a', 'submission.csv', follow_symlinks=False)"
        ),
        invalid="submission.csv: is a link",
    ),
    Attack(
        "output link",
        "labels",
        "leave a link to the labels as the output of a measured run",
        (write("train.py", "import os\nos.symlink('/opt/hidden/inputs.npy', 'output.npy')"),),
        invalid="output.npy: is a link",
        problem="turtles",
    ),
    Attack(
        "labels in the measured run",
        "labels",
        "look for what is right while being measured",
        (
            write(
                "train.py", "import os, sys\nsys.exit('hidden' if os.path.exists('/opt/hidden') else 'nothing there')"
            ),
        ),
        invalid="`python train.py` fails: exit 1: nothing there",
        problem="turtles",
    ),
]
