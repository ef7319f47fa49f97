"""Python answers that reach the repository by another route: work handed over, main functions, exec, own files."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.runtime.entry_functions import main_function
from mlbench.records import Candidate, Check, Kind

pytestmark = pytest.mark.anyio

PARSER = (
    "import argparse\ndef parser():\n    p = argparse.ArgumentParser()\n"
    "    p.add_argument('--lr', type=float, default=0.1)\n    p.add_argument('--out')\n    return p\n"
)
FILES = {
    "train.py": f"{PARSER}def main(args):\n    print('it ran')\n"
    "if __name__ == '__main__':\n    args = parser().parse_args()\n    main(args)\n",
    "words.py": f"{PARSER}def main(argv=None):\n    args = parser().parse_args(argv)\n    print('it ran')\n"
    "if __name__ == '__main__':\n    raise SystemExit(main())\n",
    "pkg/__init__.py": "",
    "plain.py": "def main():\n    return 1\nif __name__ == '__main__':\n    main()\n",
    "pkg/tool.py": f"{PARSER}def run():\n    parser().parse_args()\n",
    "pyproject.toml": "[project]\nname = 'x'\n[project.scripts]\ntool = 'pkg.tool:run'\n",
    "README.md": "```\ngit clone https://host.org/who/extra pkg/extra\n```\n",
    "pkg/uses.py": "from .extra import Norm\ndef norm(size=1):\n    return Norm(size)\n",
    "quick.py": "from numba import njit\n@njit(fastmath=True)\ndef dot(a):\n    return a\n",
    "weights.py": "import os, huggingface_hub as hub\ndef fetch(name):\n"
    "    return os.path.join(hub.snapshot_download(name), 'a.ckpt')\n"
    "def load(path):\n    if not os.path.exists(path):\n        raise Exception(f'Invalid path: {path}')\n",
    "hub.py": "import huggingface_hub as hub\ndef load(name):\n    api = hub.HfApi()\n    try:\n"
    "        api.download(name)\n        raise RuntimeError('no scripts')\n"
    "    except hub.errors.EntryNotFoundError:\n        return name\n"
    "def refuse(name):\n    try:\n        name = name.strip()\n        raise RuntimeError('no scripts')\n"
    "    except ValueError:\n        return name\n",
    "lib.py": "class Net:\n    def __init__(self, width=4):\n        self.width = width\n"
    "    def fit(self, epochs=3):\n        return epochs\ndef work(name, lr=0.1):\n    return [name, lr]\n",
}


@pytest.fixture(scope="module")
async def checker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Checker]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    async with Checker(CheckTarget(CheckEnv(root, preload=()), {})) as checker:
        yield checker


async def ask(checker: Checker, code: str, kind: Kind = "python") -> Check:
    return await checker.check(Candidate(code, kind, "test"))


WORDS = "import sys\nsys.argv = ['x', '--lr', '2']\n"


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("import train\ntrain.main(train.parser().parse_args(['--lr', '2']))", "train.py"),
        (f"{WORDS}import train\nargs = train.parser().parse_args()\nprint(args)\ntrain.main(args)", "train.py"),
        ("from train import *\nargs = parser().parse_args([])\nargs.lr = 2.0\nmain(args)", "train.py"),
        ("import train, types\ntrain.main(types.SimpleNamespace(lr=2.0, out=None))", "train.py"),
        ("import importlib\nm = importlib.import_module('words')\nm.main(['--lr', '2'])", "words.py"),
        (f"{WORDS}from words import main\nsys.exit(main())", "words.py"),
        (f"{WORDS}from pkg.tool import run\nrun()", "pkg/tool.py"),
        (f"{WORDS}import threading, words\nt = threading.Thread(target=words.main)\nt.start()\nt.join()", "words.py"),
        (f"{WORDS}exec(open('train.py').read())", "train.py"),
        (f"{WORDS}exec(compile(open('train.py').read(), 'train.py', 'exec'))", "train.py"),
        ('exec(\'import words\\nwords.main(["--lr", "2"])\')', "words.py"),
        ("import words\nwords.main(['--lr', '2'])\nprint(open('result.txt').read())", "words.py"),
        ("import glob, words\nwords.main(['--lr', '2'])\nprint(glob.glob('out/*.npz')[0])", "words.py"),
    ],
)
async def test_the_call_of_a_main_function_starts_the_program(checker: Checker, code: str, program: str) -> None:
    """A right answer that called `main(parse_args(...))` was another program, or ended where the work did not run."""
    found = await ask(checker, code)
    assert (found.status, found.reason) == ("accepted", ""), found
    started = [each for each in found.invocations if each.how != "code"]
    assert [(each.program, each.configuration) for each in started] == [(program, {"lr": 2.0, "out": None})]


async def test_words_after_code_are_those_of_the_program(checker: Checker) -> None:
    """The words behind `python -c CODE` were lost, so that the program took none."""
    found = await ask(checker, "python -c 'from words import main; main()' --lr 2", "shell")
    assert [each.configuration for each in found.invocations if each.how != "code"] == [{"lr": 2.0, "out": None}]


async def test_a_python_file_that_the_answer_writes_is_its_code(checker: Checker) -> None:
    """What a file that the answer wrote calls was not looked at: it was taken for a program of its own."""
    text = "cat > go.py <<'E'\nimport sys\nfrom lib import work\nwork('a', float(sys.argv[1]))\nE\npython go.py 2"
    found = await ask(checker, text, "shell")
    assert found.status == "accepted", found
    calls = [call for each in found.invocations for call in each.calls]
    assert [(call.function, call.arguments) for call in calls] == [("lib.work", {"name": "a", "lr": 2.0})]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import words\nwords.main(['--rl', '2'])", "unknown-argument"),
        ("import train\ntrain.main(train.parser().parse_args(['--rl', '2']))", "exits-early"),
        ("import train\ntrain.main()", "call-does-not-bind"),
        ("import words\nprint([][0])\nwords.main(['--lr', '2'])", "raised"),
        ("import words\nopen('nowhere.txt').read()\nwords.main(['--lr', '2'])", "no-such-file"),
    ],
)
async def test_what_is_wrong_before_the_program_starts(checker: Checker, code: str, reason: str) -> None:
    found = await ask(checker, code)
    assert (found.status, found.reason) == ("rejected", reason), found


@pytest.mark.parametrize(
    "code",
    [
        "import train\ntrain.parser().parse_args(['--lr', '2'])",
        "import train\ntrain.main = print\ntrain.main(train.parser().parse_args(['--lr', '2']))",
        "exec(open('train.py').read(), {'__name__': 'other'})\nimport lib\nlib.work('a')",
    ],
)
async def test_what_starts_no_program(checker: Checker, code: str) -> None:
    found = await ask(checker, code)
    assert [each.how for each in found.invocations] == ["code"], found


async def test_a_main_function_without_words_is_a_function_like_others(checker: Checker) -> None:
    found = await ask(checker, "import plain\nprint(plain.main())")
    assert found.status == "accepted", found
    assert [call.function for each in found.invocations for call in each.calls] == ["plain.main"]


async def test_code_that_changes_the_program_before_its_main_function(checker: Checker) -> None:
    code = (
        "python - <<'E'\nopen('train.py', 'a').write('#')\nimport train\ntrain.main(train.parser().parse_args([]))\nE"
    )
    assert (await ask(checker, code, "shell")).reason == "touches-code"


HANDED = [
    "from concurrent.futures import ThreadPoolExecutor as E\nwith E(2) as e: e.submit(work, 'a', lr=2.0).result()",
    "from concurrent.futures import ProcessPoolExecutor as E\nwith E() as e: print(list(e.map(work, ['a'], [2.0])))",
    "import threading\nt = threading.Thread(target=work, args=('a',), kwargs={'lr': 2.0})\nt.start()\nt.join()",
    "import threading as t\nclass T(t.Thread):\n    def run(self): work('a', 2.0)\nx = T()\nx.start()\nx.join()",
    "import multiprocessing as mp\nwith mp.get_context('spawn').Pool(2) as p: print(p.starmap(work, [('a', 2.0)]))",
    "from multiprocessing import Pool\np = Pool()\nr = p.apply_async(work, ('a', 2.0))\np.close()\np.join()\nr.get()",
    "from multiprocessing.pool import ThreadPool\nwith ThreadPool(1) as p: p.map(lambda lr: work('a', lr), [2.0])",
    "import multiprocessing as m\nq = m.Queue()\nm.Process(target=lambda: q.put(work('a', 2.0))).start()\nq.get()",
    "import asyncio\nasyncio.run(asyncio.to_thread(work, 'a', lr=2.0))",
    "import asyncio\nasync def f():\n    l = asyncio.get_running_loop()\n"
    "    return await l.run_in_executor(None, work, 'a', 2.0)\nasyncio.run(f())",
    "print(list(map(work, ['a'], [2.0])))",
    "import itertools\nprint(list(itertools.starmap(work, [('a', 2.0)])))",
    "import tempfile\nwith tempfile.NamedTemporaryFile('w') as f: print(work('a', 2.0), file=f)",
]


@pytest.mark.parametrize("code", HANDED)
async def test_work_that_is_handed_over_is_seen(checker: Checker, code: str) -> None:
    """Pools and threads hid their calls, or ended the check where a process is started."""
    found = await ask(checker, f"from lib import work\n{code}")
    assert (found.status, found.reason) == ("accepted", ""), found
    calls = [(call.function, call.arguments) for each in found.invocations for call in each.calls]
    assert calls == [("lib.work", {"name": "a", "lr": 2.0})]


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("    def fit(self, *a, **k):\n        print('fit')\n        return super().fit(*a, **k)", True),
        ("    count = 0", True),
        ("    def fit(self, epochs=3):\n        return 0", False),
        ("    fit = None", False),
        ("    def __init__(self, width):\n        self.width = 2 * width", False),
    ],
)
async def test_a_subclass_that_adds_is_made_as_its_base(checker: Checker, body: str, seen: bool) -> None:
    """A subclass that counts calls hid that the repository's class is made, and with which values."""
    found = await ask(checker, f"import lib\nclass Mine(lib.Net):\n{body}\nm = Mine(width=8)\nlib.work('a')")
    made = [call.arguments for each in found.invocations for call in each.calls if call.function == "lib.Net"]
    assert made == ([{"width": 8}] if seen else [])


@pytest.mark.parametrize(
    ("guard", "name"),
    [
        ("main()", "main"),
        ("sys.exit(main(parse()))", "main"),
        ("app.run(main)", "main"),
        ("args = parse()\n    check(args)\n    main(args)", "main"),
        ("try:\n        main()\n    except KeyboardInterrupt:\n        pass", "main"),
        ("print(1)", ""),
        ("main(['an example'])", ""),
    ],
)
def test_the_function_that_a_guard_calls(guard: str, name: str) -> None:
    import ast

    functions = "".join(f"def {each}(*a): pass\n" for each in ("parse", "check", "main"))
    assert main_function(ast.parse(f"{functions}if __name__ == '__main__':\n    {guard}\n")) == name


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("from pkg.uses import norm\nnorm(2)", ""),
        ("import pkg.extra\nfrom pkg.uses import norm\nnorm(2)", "no-such-module"),
        ("from lib import work\nimport pkg.extra\nwork('a')", "no-such-module"),
        ("from quick import dot\ndot(2)", ""),
        ("from quick import dot\nprint(dot.nosuch)\ndot(2)", "no-such-name"),
    ],
)
async def test_what_may_be_there_for_the_repository_is_not_there_for_an_answer(
    checker: Checker, code: str, reason: str
) -> None:
    """A module that the README clones, and an attribute of a decorated function, are there for the repository alone."""
    found = await ask(checker, code)
    assert found.reason == reason, found


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("from hub import load\nload('a/b')", "accepted"),  # the real call would have raised something else
        ("from hub import refuse\nrefuse('a/b')", "rejected"),
        ("from weights import fetch, load\nload(fetch('a/b'))", "accepted"),  # the path may exist
        ("from weights import fetch, load\nload('/nonexistent/x')", "rejected"),
        (
            "from lib import work\nwork('a')\nraise TypeError(\"Invalid annotation for 'v'. <a.B> is not a class.\")",
            "rejected",
        ),
    ],
)
async def test_what_a_missing_library_returned_is_no_fault_of_an_answer(
    checker: Checker, code: str, status: str
) -> None:
    """Every example that loads from a hub was rejected. Words and paths of the answer's own stay its fault."""
    found = await ask(checker, code)
    assert found.status == status, found
