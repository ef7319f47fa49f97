"""What a Python answer's text alone tells, for the lines that were not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.interface_check.python_answers import beyond, imports_of, question


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {
        "lib/__init__.py": "from lib.core import f\n",
        "lib/core.py": "def f(a, b=1, *, c):\n    pass\n\nclass K:\n    def __init__(self, width):\n        pass\n",
        "lib/star.py": "from lib.core import *\n",
        "lib/lazy.py": "def __getattr__(name):\n    return 1\n",
        "loose/inner/part.py": "def g(x, **rest):\n    pass\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("from lib.core import f\nf(1, c=2)", ""),
        ("from lib.core import h", "no-such-name"),
        ("from lib.cores import f", "no-such-module"),
        ("from lib.core import f\nf(1)", "call-does-not-bind"),
        ("from lib.core import f\nf(1, d=2, c=3)", "call-does-not-bind"),
        ("from lib.core import f\nf(1, 2, 3, c=3)", "call-does-not-bind"),
        ("from lib.core import f\nf(*x, **y)", ""),
        ("from lib.core import f\nf = print\nf(1)", ""),
        ("from lib.core import K\nK()", "call-does-not-bind"),
        ("from lib.core import K\nK(3)", ""),
        ("from lib.star import anything", ""),
        ("from lib.lazy import anything", ""),
        ("from lib import core", ""),
        ("from loose.inner.part import g\ng(1, z=2)", ""),
        ("from loose.inner.part import h", "no-such-name"),
        ("from loose.outer import g", ""),
        ("from elsewhere import g", ""),
        ("import lib.core\nlib.core.h()", ""),
        ("def f(:", ""),
    ],
)
def test_only_what_is_certain_is_a_fault(repository: Path, code: str, reason: str) -> None:
    assert beyond(repository, [repository], code, 1)[0] == reason


def test_only_lines_that_were_not_run_count(repository: Path) -> None:
    assert beyond(repository, [repository], "from lib.core import f\nf()\nprint()\n", 3) == ("", "")
    assert beyond(repository, [repository], "from lib.core import f\nprint()\nf()\n", 3)[1].startswith("line 3: f()")


def test_imports_are_listed_for_the_server() -> None:
    code = "import a.b, c as d\nfrom e.f import g, h\nfrom i import *\nfrom . import j\ndef k():\n    import l\n"
    assert imports_of(code) == ("a.b", "c", "e.f:g", "e.f:h", "i")
    assert imports_of("import (") == ()


def test_a_question_carries_the_imports() -> None:
    asked = question("import a", "/workspace", {"X": "1"}, {"cpu": 1.0})
    assert asked == {
        "do": "code",
        "code": "import a",
        "cwd": "/workspace",
        "env": {"X": "1"},
        "cpu": 1.0,
        "imports": ["a"],
    }
