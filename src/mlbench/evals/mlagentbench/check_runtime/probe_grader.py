"""Run a grader on a good submission and on bad forms of it; print what it says of each, one JSON object a line.

probe_grader.py GRADE.PY HIDDEN GOOD PERMUTED FILES...    GOOD and PERMUTED are folders; FILES are the submission's
"""

from __future__ import annotations

import importlib
import io
import json
import os
import runpy
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from bad_forms import HUGE_FILE, HUGE_VALUE, MARKER, Form, bad_forms  # type: ignore[import-not-found]  # beside it

SECONDS = 60.0
GIVEN = "/tmp/given"
MEMORY = 3 << 30
PLANTED = ("mlbench_grading", "numpy", "pandas", "json", "csv", "sitecustomize", "grade")


def main() -> None:
    grader, hidden, good, permuted, *files = sys.argv[1:]
    contents = {name: Path(good, name).read_bytes() for name in files if Path(good, name).is_file()}

    def tell(kind: str, case: str, file: str, changed: dict[str, Form], planted: bool = False) -> None:
        found = graded(grader, hidden, {**contents, **changed}, planted)
        print(json.dumps({"kind": kind, "case": case, "file": file, **found}), flush=True)

    tell("good", "the good submission", "", {})
    for module in ("numpy", "pandas", "sklearn.metrics", "scipy.stats"):
        if module.partition(".")[0] in Path(grader).read_text():
            importlib.import_module(module)  # once, for all the children
    tell("same", "modules of the grader's names beside the submission", "", {}, planted=True)
    for name, content in contents.items():
        for kind, forms in zip(("refused", "worse", "same"), bad_forms(name, content), strict=True):
            for case, form in forms.items():
                if form != content:
                    tell("any" if case == HUGE_VALUE else kind, case, name, {name: form})
    others = {name: Path(permuted, name).read_bytes() for name in files if Path(permuted, name).is_file()}
    if others:
        tell("worse", "the permuted submission", "", dict(others))
    for name, other in others.items():
        if len(contents) > 1 and other != contents.get(name):
            tell("worse", "the permuted file among the other files of the good submission", name, {name: other})


def graded(grader: str, hidden: str, files: dict[str, Form], planted: bool) -> dict[str, object]:
    """What a grader says of a workspace, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        workspace, answer = Path(folder, "workspace"), Path(folder, "answer.json")
        workspace.mkdir()
        shutil.copytree(GIVEN, workspace, copy_function=os.link, dirs_exist_ok=True)  # as files: links are refused
        for name, form in files.items():
            put(workspace / name, form, Path(hidden))
        if planted:
            for module in PLANTED:
                put(
                    workspace / f"{module}.py",
                    f"open({MARKER!r}, 'w')\nprint('{{\"score\": 12345.0}}')\n".encode(),
                    Path(),
                )
        Path(MARKER).unlink(missing_ok=True)
        child = os.fork()
        if not child:
            run(grader, str(workspace), hidden, answer, set(files))
        found = waited(child, answer)
        if os.path.exists(MARKER):
            found["ran"] = True
        return found


def put(path: Path, form: Form, hidden: Path) -> None:
    path.unlink(missing_ok=True)  # not written through: the file has other names
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "folder":
        path.mkdir()
    elif form == "huge":
        with open(path, "wb") as file:
            file.truncate(HUGE_FILE)
    elif form == "link":
        held = sorted(each for each in hidden.rglob("*") if each.is_file())
        same = [each for each in held if each.name == path.name and each.parent.name == "perfect"]
        path.symlink_to((same or held)[0])
    elif isinstance(form, bytes):
        path.write_bytes(form)


def waited(child: int, answer: Path) -> dict[str, object]:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.005)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return {"crash": f"no answer within {SECONDS:.0f} s"}
    try:
        return dict(json.loads(answer.read_text()))
    except (OSError, ValueError):
        return {"crash": f"ended with status {status}"}


def run(grader: str, workspace: str, hidden: str, answer: Path, submitted: set[str]) -> None:
    """In the child: run the grader as the judge does, and note which files of the workspace it opens."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    reads: dict[str, int] = {}

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.listdir", "os.scandir") or not isinstance(arguments[0], str | bytes):
            return
        path = os.fsdecode(arguments[0])
        inside = next((each for each in (workspace, "/workspace") if path == each or path.startswith(each + "/")), None)
        name = path[len(inside) + 1 :] if inside else ""
        if name and name not in submitted and name not in reads:
            frame: Any = sys._getframe()
            while frame and frame.f_code.co_filename != grader:
                frame = frame.f_back
            reads[name] = frame.f_lineno if frame else 0

    found: dict[str, object]
    printed = io.StringIO()
    sys.argv, sys.stdin, sys.stdout, sys.stderr = (
        [grader, workspace, hidden],
        io.StringIO("[0.5]"),
        printed,
        io.StringIO(),
    )
    os.chdir("/opt")
    sys.path.insert(0, os.path.dirname(grader))
    try:
        sys.addaudithook(opened)
        runpy.run_path(grader, run_name="__main__")
        last = json.loads(printed.getvalue().strip().splitlines()[-1])
        found = {key: last[key] for key in ("score", "invalid") if key in last}
        if (
            not found
            or not isinstance(found.get("score", 0.0), int | float)
            or not isinstance(found.get("invalid", ""), str)
        ):
            found = {"crash": "it prints neither a score nor why there is none"}
    except BaseException as error:  # whatever the grader raises is what is asked for
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == grader]
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:150]}"
        found = {"crash": what, "line": lines[-1] if lines else 0}
    found["reads"] = reads
    with open(answer, "w") as file:
        json.dump(found, file)
    os._exit(0)


if __name__ == "__main__":
    shutil.copytree("/workspace", GIVEN)
    main()
