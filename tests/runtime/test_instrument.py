"""Instrumented code does what the plain code does, and the calls of a real execution are told as they are."""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlbench.interface_check.runtime import call_reporter
from mlbench.interface_check.runtime.ast_rewrite import HOOK, instrument, instrumented
from mlbench.interface_check.runtime.call_hook import PER_SITE
from mlbench.interface_check.runtime.call_reporter import CallReporter, Claims

SNIPPETS = {
    "super": "class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f() + 1\nout = B().f()",
    "locals": "def f(a):\n    b = 2\n    return sorted(locals()), sorted(vars())\nout = f(1)",
    "order": "seen = []\ndef s(x):\n    seen.append(x)\n    return lambda *a, **k: (a, k)\n"
    "def v(x):\n    seen.append(x)\n    return x\nr = s('f')(v(1), *[v(2)], k=v(3), **{'z': v(4)})\nout = seen, r",
    "method": "class A:\n    def __getattr__(self, n): return lambda *a: (n, a)\nout = A().x(1, A().y(2))",
    "walrus": "def f(x): return x + 1\nout = [y := f(1), y ** 2, (z := f(y))], z",
    "f-string": "def f(x): return x\nout = f'{f(3):>{f(5)}} {f(1)!r} {f(2)=}'",
    "await": "import asyncio\nasync def f(x): return x\n"
    "async def g(): return [await f(1), [await f(i) async for i in h()]]\n"
    "async def h():\n    for i in range(2): yield i\nout = asyncio.run(g())",
    "decorators": "def d(n):\n    def w(f): return lambda *a: (n, f(*a))\n    return w\n"
    "@d(1)\n@d(2)\ndef f(x): return x\nout = f(3)",
    "class decorator": "def d(c):\n    c.x = 1\n    return c\n@d\nclass A: pass\nout = A.x",
    "annotations": "from __future__ import annotations\n"
    "def f(a: g(1), *b: h()) -> k(2):\n    c: list(3) = 1\nout = f.__annotations__",
    "eval": "def f():\n    q = 5\n    return eval('q + 1')\nout = f()",
    "mangled": "class A:\n    __x = 3\n"
    "    def f(self): return self.g(self.__x)\n    def g(self, y): return y\nout = A().f()",
    "generator": "def g(n):\n    x = yield n\n    yield x\ni = g(1)\nout = next(i), i.send(4)",
    "comprehension in a class": "def f(x): return x\nclass A:\n    v = [f(i) for i in range(3)]\nout = A.v",
    "match": "class P:\n    __match_args__ = ('x',)\n    def __init__(self, x): self.x = x\n"
    "match P(3):\n    case P(x): out = x\n    case _: out = None",
    "names": "out = sorted(n for n in globals() if n not in ('__builtins__', 'HOOK'))".replace("HOOK", HOOK),
    "attributes": "class A:\n    pass\na = b = A()\na.x, b.y = 1, [2]\na.x += 4\na.y[0] -= 1\na.z: int = 3\n"
    "for a.i in range(3): pass\ndel a.z\nout = vars(a)",
    "private attributes": "class A:\n    def f(self):\n        self.__x = 1\n        return vars(self)\nout = A().f()",
    "del and chained": "d = {}\ndef f(): return d\nf()['a'] = 1\nout = dict(f())\ndel f()['a']\nout = out, d",
}


def run(code: str, root: Path, send: Any = print) -> Any:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(instrument(code, "/x.py", CallReporter(str(root), "/x.py", send).hook), space)
    return space["out"]


def by_statement(code: str, root: Path) -> Any:
    space: dict[str, Any] = {"__name__": "__main__", HOOK: CallReporter(str(root), "/x.py", print).hook}
    for _, _, _, part in instrumented(code, "/x.py", loops=True):
        exec(part, space)
    return space["out"]


@pytest.mark.parametrize("how", [run, by_statement])
@pytest.mark.parametrize("name", SNIPPETS)
def test_meaning_is_kept(name: str, how: Callable[[str, Path], Any], tmp_path: Path) -> None:
    plain: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(SNIPPETS[name], "/x.py", "exec", dont_inherit=True), plain)
    assert how(SNIPPETS[name], tmp_path) == plain["out"]


def test_tracebacks_have_the_candidates_lines(tmp_path: Path) -> None:
    code = "def f(x):\n    return (1 /\n            x)\n\nf(\n  0)"
    lines = []
    hook = CallReporter(str(tmp_path), "/x.py", print).hook
    for compiled in (compile(code, "/x.py", "exec"), instrument(code, "/x.py", hook)):
        with pytest.raises(ZeroDivisionError) as caught:
            exec(compiled, {})
        lines.append([frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == "/x.py"])
    assert lines[0] == lines[1]


TEXT = """
import functools
import sys

LIMIT = 3

def f(x, y=2):
    return x + y

def each(values, tell):
    return [tell(value) for value in values]

def leave(code):
    sys.exit(code)

def count():
    global LIMIT
    LIMIT += 1

class A:
    def __init__(self, depth=1):
        self.depth = depth

    def m(self, *rest, **named):
        return self

class B(A):
    def grow(self):
        self.depth += 1
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ridden_library.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ridden_library", raising=False)
    return tmp_path


def reports(code: str, module: Path) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    with contextlib.suppress(BaseException):
        run(
            f"import ridden_library\nfrom ridden_library import *\n{code}\nout = 0",
            module,
            lambda *one: found.append(one),
        )
    return [(kind, json.loads(said) if kind == "call" else said) for kind, said in found]


def test_a_real_execution_reports_its_calls(module: Path) -> None:
    found = [said for kind, said in reports("f(1, y=3)\nA().m(4, k=5)\nlen([1])", module) if kind == "call"]
    assert [(call["function"], call["arguments"], call["given"], call["open"]) for call in found] == [
        ("ridden_library.f", {"x": 1, "y": 3}, ["x", "y"], []),
        ("ridden_library.A", {"depth": 1}, [], []),
        ("ridden_library.A.m", {"rest": [4], "k": 5}, ["rest", "k"], ["k"]),
    ]


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("f(1)", ["done"]),
        ("each([1], print)", ["done"]),
        ("try:\n    each([1], lambda x: 1 / 0)\nexcept ZeroDivisionError: pass", ["raised"]),
        ("leave(0)", ["done"]),
        ("leave(1)", ["raised"]),
        ("each([1], lambda x: exit())", ["raised"]),
        ("f(1, 2, 3)", ["raised"]),
    ],
)
def test_how_a_call_ends_is_told(code: str, ends: list[str], module: Path) -> None:
    assert [kind for kind, _ in reports(code, module) if kind in ("done", "raised")] == ends


def test_what_is_set_afterwards_is_another_call(module: Path) -> None:
    """A value that was right in the call, and is replaced before it is used, is the one that counts."""
    found = [
        said["arguments"] for kind, said in reports("b = B(4)\nb.grow()\nb.depth = 1\nb.m()", module) if kind == "call"
    ]
    assert found == [{"depth": 4}, {}, {"depth": 1}, {}]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("type('D', (int,), {'__index__': lambda self: 1})(4)", {"!": "object", "value": "__main__.D"}),
        ("type('D', (int,), {'__index__': functools.partial(int, 1)})(4)", {"!": "object", "value": "__main__.D"}),
        (
            "type('D', (float,), {'__module__': 'numpy', 'shape': (), 'item': lambda s: 9})(4)",
            {"!": "object", "value": "numpy.D"},
        ),
        ("type('D', (dict,), {'__getitem__': lambda self, name: 0})(a=1)", {"!": "object", "value": "__main__.D"}),
        ("type('D', (dict,), {'__getattr__': dict.__getitem__})(a=1)", {"a": 1}),
        ("type('D', (int,), {})(4)", 4),
        ("__import__('collections').namedtuple('P', 'a b')(1, 2)", [1, 2]),
        ("__import__('argparse').Namespace(a=1)", {"a": 1}),
    ],
)
def test_values_that_count_as_others_are_opaque(value: str, shown: Any, module: Path) -> None:
    (call,) = [said for kind, said in reports(f"A({value})", module) if kind == "call"]
    assert call["arguments"]["depth"] == shown


@pytest.mark.parametrize(
    "code",
    [
        "def g(x): pass\ng.__wrapped__ = f\ng(1)",
        "g = functools.lru_cache(lambda x: x)\nfunctools.update_wrapper(g, f)\ng(1)",
        "type('A', (A,), {'__module__': 'ridden_library', 'm': lambda self: 1})()",
    ],
)
def test_what_claims_to_be_the_repositorys_is_not(code: str, module: Path) -> None:
    assert [said for kind, said in reports(code, module) if kind == "call"] == []


def test_a_call_site_is_recorded_a_bounded_number_of_times(module: Path) -> None:
    found = reports(f"sum(f(i) for i in range({PER_SITE + 50}))", module)
    assert len([1 for kind, _ in found if kind == "call"]) == PER_SITE


def test_a_call_that_does_not_bind_raises_as_it_would(module: Path) -> None:
    with pytest.raises(TypeError, match=r"f\(\) got an unexpected keyword argument 'z'"):
        run("from ridden_library import f\nf(1, z=2)", module)


def kept(folder: Path) -> list[tuple[list[float], list[float]]]:
    """What is claimed in a folder, in order: input and result."""
    arrays = [np.load(file, allow_pickle=False) for file in sorted(folder.glob("*.npz"))]
    return [(each["taken"].tolist(), each["returned"].tolist()) for each in arrays]


@pytest.mark.parametrize(
    ("passed", "taken"),
    [
        (((np.ones(2),), {}), [1.0, 1.0]),
        (((3, "x"), {"data": np.ones(2)}), [1.0, 1.0]),
        (((3, np.ones(1), np.zeros(1)), {}), [1.0]),  # the first
        ((([{"x": np.ones(1)}],), {}), []),  # further down than anybody would look
        (((), {}), []),
    ],
)
def test_a_claim_is_the_first_array_that_a_call_took_and_the_one_that_it_returned(
    passed: Any, taken: list[float], tmp_path: Path
) -> None:
    Claims(str(tmp_path)).keep(passed, np.array([2.0]))
    assert kept(tmp_path) == [(taken, [2.0])]


def test_what_is_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_reporter, "LARGEST_CLAIM", 80)
    claims = Claims(str(tmp_path))
    claims.keep(((np.ones(1),), {}), [2.0])  # no array came back
    claims.keep(((np.ones(11),), {}), np.ones(1))  # too large
    claims.keep(((np.ones(1),), {}), np.ones(11))
    Claims("").keep(((np.ones(1),), {}), np.ones(1))  # nobody asks
    assert list(tmp_path.iterdir()) == []


def test_claims_are_bounded_and_a_folder_that_cannot_be_written_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_reporter, "MOST_CLAIMS", 2)
    claims = Claims(str(tmp_path / "new"))
    for number in range(3):
        claims.keep(((np.full(1, number),), {}), np.ones(1))
    assert [taken for taken, _ in kept(tmp_path / "new")] == [[0], [1]]
    (tmp_path / "file").touch()
    Claims(str(tmp_path / "file")).keep(((np.ones(1),), {}), np.ones(1))


def test_a_real_execution_leaves_its_claims(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLBENCH_CLAIMS", str(tmp_path / "claims"))
    reports("import numpy\nf(numpy.ones(2), y=4)\nf(1)\neach([1], print)", module)
    assert kept(tmp_path / "claims") == [([1.0, 1.0], [5.0, 5.0])]
