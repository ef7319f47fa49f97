"""Which Python file a `run.sh` starts."""

from __future__ import annotations

import pytest

from mlbench.judging.entry_file import Started, started_file, through


@pytest.mark.parametrize(
    ("script", "path"),
    [
        ("python solve.py", "solve.py"),
        ("cd examples\npython3 -u ./solve.py --fast", "examples/solve.py"),
        ("set -e\npip install numpy\npython prepare.py && python3.11 work/solve.py", "work/solve.py"),
        ('cd "a"; cd b; PYTHONPATH=. python solve.py > out.txt 2>&1', "a/b/solve.py"),
        ("cd /workspace/x && /opt/env/bin/python solve.py", "/workspace/x/solve.py"),
        ("python -m solve", None),
        ("python -c 'print(1)'", None),
        ("python $FILE", None),
        ("echo python solve.py", None),
        ("# python solve.py", None),
        ("", None),
        ("python 'unfinished", None),
    ],
)
def test_the_last_file_that_is_named_is_found(script: str, path: str | None) -> None:
    found = started_file(script)
    assert (found.path if found else None) == path


def test_the_launcher_is_put_before_the_file() -> None:
    script = "cd ä\npython  -u solve.py --x 1 # ü\n"
    found = started_file(script)
    assert found == Started("ä/solve.py", script.encode().index(b"solve"))
    assert through(script, found, "/opt/ride.py") == "cd ä\npython  -u /opt/ride.py solve.py --x 1 # ü\n"
