"""Instrumented code does what the plain code does."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from mlbench.probe.instrument import HOOK, PER_SITE, instrument, recording

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
    "del and chained": "d = {}\ndef f(): return d\nf()['a'] = 1\nout = dict(f())\ndel f()['a']\nout = out, d",
}


def run(code: Any, hook: Any = None) -> Any:
    space: dict[str, Any] = {"__name__": "__main__"}
    if hook is not None:
        space[HOOK] = hook
    exec(code, space)
    return space["out"]


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("name", SNIPPETS)
def test_meaning_is_kept(name: str, loops: bool, tmp_path: Path) -> None:
    plain = run(compile(SNIPPETS[name], "x.py", "exec", dont_inherit=True))
    assert run(instrument(SNIPPETS[name], "x.py", loops), recording(str(tmp_path), "x.py", print)) == plain


def test_tracebacks_have_the_candidates_lines(tmp_path: Path) -> None:
    code = "def f(x):\n    return (1 /\n            x)\n\nf(\n  0)"
    lines = []
    for compiled in (compile(code, "x.py", "exec"), instrument(code, "x.py")):
        with pytest.raises(ZeroDivisionError) as caught:
            run(compiled, recording(str(tmp_path), "x.py", print))
        lines.append([frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == "x.py"])
    assert lines[0] == lines[1]


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = "def f(x, y=2):\n    return x + y\n\nclass A:\n    def m(self, *rest, **named):\n        return self\n"
    (tmp_path / "ridden_library.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ridden_library", raising=False)
    return tmp_path


def test_a_real_execution_reports_its_calls(module: Path) -> None:
    found: list[dict[str, Any]] = []
    code = "from ridden_library import A, f\nout = f(1, y=3)\nA().m(4, k=5)\nlen([1])"
    assert run(instrument(code, "x.py"), recording(str(module), "x.py", found.append)) == 4
    assert [(call["function"], call["arguments"], call["given"], call["open"]) for call in found] == [
        ("ridden_library.f", {"x": 1, "y": 3}, ["x", "y"], []),
        ("ridden_library.A", {}, [], []),
        ("ridden_library.A.m", {"rest": [4], "k": 5}, ["rest", "k"], ["k"]),
    ]


def test_a_call_site_is_recorded_a_bounded_number_of_times(module: Path) -> None:
    found: list[dict[str, Any]] = []
    code = f"from ridden_library import f\nout = sum(f(i) for i in range({PER_SITE + 50}))"
    plain = sum(i + 2 for i in range(PER_SITE + 50))
    assert run(instrument(code, "x.py"), recording(str(module), "x.py", found.append)) == plain
    assert len(found) == PER_SITE


def test_a_call_that_does_not_bind_raises_as_it_would(module: Path) -> None:
    with pytest.raises(TypeError, match=r"f\(\) got an unexpected keyword argument 'z'"):
        run(instrument("from ridden_library import f\nf(1, z=2)", "x.py"), recording(str(module), "x.py", print))
