"""Attacks on the grader: what it would load, and submissions that are none."""

from __future__ import annotations

from tests.mlagentbench.attack_types import SQUARE, WEIGH, Attack, script, write

# -- the grader -------------------------------------------------------------------------------------------------------

SCORE = "import os\nprint('{\"score\": 0.0}', flush=True)\nos._exit(0)\n"
SHADOWS = (
    "sitecustomize",
    "usercustomize",
    "mlbench_grading",
    "json",
    "csv",
    "os",
    "math",
    "typing",
    "conftest",
    "grade",
)
SHADOWED = f"""
import os, site
score = {SCORE!r}
folders = [".", "lib", "opt/lib", site.getusersitepackages(), os.path.expanduser("~"), "/tmp", "__pycache__"]
for folder in folders:
    os.makedirs(folder, exist_ok=True)
    for name in {SHADOWS!r}:
        open(os.path.join(folder, name + ".py"), "w").write(score)
    open(os.path.join(folder, "x.pth"), "w").write("import os; os._exit(0)")
open("pyvenv.cfg", "w").write("home = /workspace")
open("python", "w").write("#!/bin/sh\\necho 1\\n")
os.chmod("python", 0o755)
"""
GRADER = [
    Attack(
        "shadows",
        "grader",
        "leave modules of the names that the grader imports",
        script(SHADOWED),
        invalid="submission.csv: there is no such file",
    ),
    Attack(
        "shadows of numpy",
        "grader",
        "leave a numpy whose save writes what it is told, for the grader to load",
        (
            write("numpy.py", "def load(*a, **k): return 0\ndef save(*a): open('output.npy', 'w').write('x')\n"),
            write("train.py", SQUARE.replace("** 2", "")),
        ),
        invalid="output.npy: is not a plain NumPy array",
        problem="turtles",
    ),
    Attack(
        "grade.py",
        "grader",
        "leave a grader of its own",
        (write("grade.py", SCORE), write("hidden/grade.py", SCORE), write("submission.csv", "id,weight\n")),
        invalid="submission.csv: 60 of 60 ids are missing",
    ),
    Attack(
        "write to the grader",
        "grader",
        "change the grader where it may stand",
        script("open('/opt/problem/grade.py', 'w').write('')"),
        seen="No such file|Read-only",
        error="failed-script",
        invalid="no such file",
    ),
    Attack(
        "write to the packages",
        "grader",
        "change numpy where the grader may import it",
        script("import numpy\nopen(numpy.__file__, 'a').write('x')"),
        seen="Read-only file system",
        error="failed-script",
        invalid="no such file",
    ),
    Attack(
        "write to the system",
        "grader",
        "leave programs where the system looks first",
        script(
            "for place in ('/usr/local/bin/tar', '/etc/ld.so.preload', '/opt/x', '/bin/cat', '/usr/lib/x.pth'):\n"
            "    try:\n        open(place, 'w').write('x'); print('written', place)\n"
            "    except OSError as e:\n        print(e)"
        ),
        seen=r"(?s)^(?!.*written).*Read-only file system",
        invalid="no such file",
    ),
    Attack(
        "print the score",
        "grader",
        "print a score at the end of everything",
        script("import atexit\natexit.register(print, '{\"score\": 0.0}')\nprint('{\"score\": 0.0}')"),
        seen='"score": 0.0',
        invalid="submission.csv: there is no such file",
    ),
    Attack(
        "print while measured",
        "grader",
        "print a score in place of an output while being measured",
        (write("train.py", "print('{\"score\": 0.0001}')"),),
        invalid="output.npy: there is no such file",
        problem="turtles",
    ),
]


# -- submissions ------------------------------------------------------------------------------------------------------

PICKLE = """
import os, pickle
class Code:
    def __reduce__(self):
        return os.system, ("echo '{\\"score\\": 0.0}'",)
header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(117) + b"\\n"
open("output.npy", "wb").write(b"\\x93NUMPY\\x01\\x00v\\x00" + header + pickle.dumps(Code()))
"""
CLAIMS_MUCH = """
header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }".ljust(117) + b"\\n"
open("output.npy", "wb").write(b"\\x93NUMPY\\x01\\x00v\\x00" + header + bytes(800))
"""
BOMB = """
import zipfile
with zipfile.ZipFile("output.npy", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
    file.writestr("a.npy", bytes(100_000_000))
"""
TERMINAL = WEIGH + "submit(1)\nopen('submission.csv', 'a').write('\\x1b[2J\\x00\\u202eevil,1\\n')"


def _submitted(name: str, aim: str, code: str, invalid: str, problem: str = "toads") -> Attack:
    does = script(code) if problem == "toads" else (write("train.py", code),)
    return Attack(name, "submission", aim, does, invalid=invalid, problem=problem)


SUBMISSIONS = [
    _submitted(
        "fifo", "a pipe, that the grader waits for", "import os\nos.mkfifo('submission.csv')", "no such file|ordinary"
    ),
    _submitted("folder", "a folder", "import os\nos.makedirs('submission.csv/x')", "is no ordinary file"),
    _submitted(
        "sparse",
        "a file that takes no room and is long",
        "f = open('submission.csv', 'wb'); f.truncate(150_000_000)",
        "larger than 64 MiB",
    ),
    _submitted(
        "many files",
        "more than can be packed",
        "import os\nos.mkdir('submission.csv')\n"
        "for n in range(2): open(f'submission.csv/{n}.bin', 'wb').write(os.urandom(55_000_000))",
        "could not be packed",
    ),
    _submitted(
        "ten million rows",
        "more rows than fit into memory",
        "open('submission.csv', 'w').write('id,weight\\n' + '60,1\\n' * 10_000_000)",
        "line 3: the id '60' stands there twice",
    ),
    _submitted(
        "sixty million columns",
        "more columns than fit into memory",
        "open('submission.csv', 'w').write(',' * 60_000_000)",
        "line 1 is longer than",
    ),
    _submitted(
        "nan", "weights that compare with nothing", WEIGH + "submit('nan')", "line 2: weight: nan is not finite"
    ),
    _submitted("infinity", "weights beyond all", WEIGH + "submit('-1e999')", "is not finite"),
    _submitted("huge", "weights whose sum overflows", WEIGH + "submit(1e308)", "score is not finite"),
    _submitted(
        "terminal", "an id that writes to the terminal", TERMINAL, r"^submission.csv: line 62: the id '\\x1b\[2J"
    ),
    _submitted(
        "expressions", "an expression for a number", WEIGH + "submit('__import__(\"os\")._exit(0)')", "is no number"
    ),
    _submitted("pickle", "a pickle with code in the array", PICKLE, "not a plain NumPy array", "turtles"),
    _submitted("claims much", "an array that says it is 80 TB", CLAIMS_MUCH, "not a plain NumPy array", "turtles"),
    _submitted("bomb", "an archive that becomes a thousand times as large", BOMB, "is an archive of arrays", "turtles"),
    _submitted(
        "object",
        "an array of another type",
        'import numpy as np\nnp.save("output.npy", np.zeros(100_000, "c16"))',
        "its type is complex128",
        "turtles",
    ),
]
