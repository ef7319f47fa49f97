"""The server inside the jail: parks, bounds, and nothing that a child does reaches the next question."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.interface_check.runtime import import_scope
from tests.runtime.asking import Ask, asking, write

PARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\np.parse_args()\n"
HOSTILE = "import argparse\ndef hostile(text):\n{body}\n    return text\np = argparse.ArgumentParser()\n"
HOSTILE += "p.add_argument('--n', type=hostile)\np.parse_args()\n"


def hostile(body: str) -> str:
    """A program that does this while it parses: a fork of a parked process, in full sight of the words."""
    return HOSTILE.format(body="\n".join(f"    {line}" for line in body.splitlines()))


FILES = {
    "plain.py": PARSE,
    "pkg/__init__.py": "",
    "pkg/run.py": "from . import other\n" + PARSE,
    "pkg/other.py": "",
    "pkg/__main__.py": "from .run import p\np.parse_args()\n",
    "where.py": "import os, sys, argparse\np = argparse.ArgumentParser()\n"
    "p.set_defaults(file=__file__, name=__name__, argv0=sys.argv[0], first=sys.path[0], cwd=os.getcwd(),\n"
    "    spec=__spec__, variable=os.environ.get('V'), prog=p.prog)\np.parse_args()\n",
    "forever.py": "while True:\n    pass\n",
    "sleeps.py": "import time\ntime.sleep(60)\n",
    "memory.py": "held = bytearray(1 << 40)\n" + PARSE,
    "asks.py": "input('name? ')\n" + PARSE,
    "leaves.py": "import os\nos._exit(3)\n",
    "forgets.py": "print('done')\n",
    "typo.py": PARSE + "nosuch\n",
    "old.py": "import math\n" + PARSE + "math.nosuch\n",
    "old2.py": PARSE + "import python2\n",
    "python2.py": "print 'x' if 1 else\n",
    "range.py": PARSE.replace("p.parse", "n = p.parse") + "if n.n > 3: raise ValueError('at most 3')\n",
    "limit.py": PARSE.replace("p.parse", "n = p.parse") + "if n.n > 3: raise SystemExit('at most 3')\n",
    "value.py": PARSE.replace("p.parse", "n = p.parse") + "[1, 2, 3][n.n]\n",
    "writes.py": "open('new.txt', 'w').write('x')\n" + PARSE,
    "kills.py": hostile("import os\nfor pid in {*range(-1, 300)} - {0, os.getpid()}:\n    try:\n"
    "        os.kill(pid, 9)\n    except OSError:\n        pass\nos.kill(os.getpid(), 0)"),
    "forks.py": hostile("import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n"
    "        os.setsid()\n        time.sleep(60)"),
    "bomb.py": hostile("import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"),
    "first.py": "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n",
    "spins.py": hostile("while True: pass"),
    "floods.py": hostile("import sys\nsys.stdout.write('x' * 50_000_000)\nsys.stderr.write('x' * 50_000_000)"),
    "huge.py": hostile("text = 'x' * 50_000_000"),
    "garbage.py": hostile("import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'\\x05\\0\\0\\0hello')\n"
    "    except OSError:\n        pass"),
    "claims.py": hostile("import os\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'\\xff\\xff\\xff\\xff')\n"
    "    except OSError:\n        pass"),
    "closes.py": hostile("import os, time\nos.closerange(3, 64)\ntime.sleep(60)"),
    "looks.py": hostile("text = str([name for name in __import__('os').listdir('/proc') if name.isdigit()\n"
    "    and open('/proc/%s/cmdline' % name).read()])\nopen('/proc/%d/mem' % __import__('os').getppid(), 'rb')"),
    "raises.py": hostile("raise RuntimeError('\\udc80 strange')"),
}  # fmt: skip


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("server"), FILES)) as ask:
        yield ask


def test_a_parked_program_answers_as_a_fresh_one(ask: Ask) -> None:
    first = [ask("plain.py", *words) for words in (["--n", "2"], ["--n", "x"], [])]
    again = [ask("plain.py", *words) for words in (["--n", "2"], ["--n", "x"], [])]
    assert first == again
    assert [answer.get("configuration", {}).get("n") for answer in first] == [2, None, 1]


def test_parked_programs_are_told_apart_by_folder_and_variables(ask: Ask) -> None:
    for _ in range(2):
        assert ask("../where.py", cwd="/workspace/pkg")["configuration"]["cwd"] == "/workspace/pkg"
        assert ask("where.py")["configuration"]["cwd"] == "/workspace"
        assert [ask("where.py", env={"V": each})["configuration"]["variable"] for each in ("1", "2")] == ["1", "2"]


def test_a_script_finds_itself_as_python_would_have_it(ask: Ask) -> None:
    found = ask("where.py")["configuration"]
    assert (found["name"], found["first"], found["spec"], found["prog"]) == ("__main__", "/workspace", None, "where.py")
    assert found["file"].endswith("/where.py")


def test_a_module_and_a_package(ask: Ask) -> None:
    assert ask("pkg.run", "--n", "3", run="module")["configuration"]["n"] == 3
    assert ask("pkg", "--n", "3", run="module")["configuration"]["n"] == 3
    answer = ask("pkg/run.py", "--n", "3")
    assert (answer["status"], answer["reason"]) == ("rejected", "run-with-m")
    assert ask("pkg.rnu", run="module")["reason"] == "no-such-module"


def test_what_is_not_there(ask: Ask) -> None:
    assert ask("nothing.py")["reason"] == "no-such-file"
    assert ask("plain.py", cwd="/workspace/none")["reason"] == "no-such-folder"


@pytest.mark.parametrize(
    ("program", "status", "reason"),
    [
        ("forever.py", "undecided", "time-limit"),
        ("memory.py", "undecided", "memory-limit"),
        ("asks.py", "undecided", "reads-input"),
        ("leaves.py", "undecided", "exits-early"),
        ("forgets.py", "undecided", "never-parses"),
        ("spins.py", "undecided", "time-limit"),
    ],
)
def test_each_bad_end_is_a_stated_reason(ask: Ask, program: str, status: str, reason: str) -> None:
    answer = ask(program, "--n", "1", cpu=1.0)
    assert (answer["status"], answer["reason"]) == (status, reason)


@pytest.mark.parametrize(
    ("program", "status"),
    [
        *(("typo.py", "broken"), ("old.py", "broken"), ("old2.py", "broken")),
        *(("range.py", "rejected"), ("limit.py", "rejected"), ("value.py", "rejected")),
    ],
)
def test_what_is_raised_after_a_parse_is_held_against_the_words_only_where_it_can_be(
    ask: Ask, program: str, status: str
) -> None:
    """A name that nobody defined once had every command line of a program rejected."""
    answer = ask(program, "--n", "4")
    assert (answer["status"], answer["reason"]) == (status, "raised")
    assert answer["configuration"] == {"n": 4}


def test_the_wall_time_ends_what_sleeps(ask: Ask) -> None:
    assert ask("sleeps.py", wall=0.3)["reason"] == "time-limit"
    assert ask("closes.py", "--n", "1", wall=0.5)["status"] == "undecided"


def test_a_program_that_writes_first_is_asked_where_it_can(ask: Ask) -> None:
    assert ask("writes.py", "--n", "4")["configuration"] == {"n": 4}


@pytest.mark.parametrize(
    "program",
    [
        *("kills.py", "forks.py", "bomb.py", "first.py", "floods.py", "huge.py"),
        *("garbage.py", "claims.py", "looks.py", "raises.py"),
    ],
)
def test_a_hostile_program_ends_alone(ask: Ask, program: str) -> None:
    """The next answers are those that there were before, from the parked processes that were there before."""
    before = ask("plain.py", "--n", "7"), ask("where.py")
    answer = ask(program, "--n", "1", cpu=1.0, wall=1.0)
    assert answer["status"] in ("accepted", "rejected", "undecided")
    assert (ask("plain.py", "--n", "7"), ask("where.py")) == before


def test_nothing_can_be_started_on_account_of_the_words(ask: Ask) -> None:
    answer = ask("forks.py", "--n", "1")
    assert (answer["status"], answer["reason"]) == ("undecided", "cannot-follow")


def test_no_child_signals_another_or_sees_into_it(ask: Ask) -> None:
    assert ask("kills.py", "--n", "1")["status"] == "accepted"
    answer = ask("looks.py", "--n", "1")
    assert answer["message"].startswith("PermissionError")


def test_a_huge_folder_is_looked_at_from_its_root_and_not_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of data, or an environment in it, once had the server look at every file before it was warm."""
    names = ("near.py", "a/deep/er/far.py", "setup.py", *(f"a/{number}.txt" for number in range(30)))
    write(tmp_path, dict.fromkeys((*names, "venv/pyvenv.cfg", "venv/lib/torch.py"), ""))
    whole = import_scope.ImportScope(str(tmp_path), stubs_allowed=True)
    assert (whole.partial, {"near", "far"} - whole.own, "torch" in whole.own) == (False, set(), False)
    assert whole.installed == [str(tmp_path)]
    monkeypatch.setattr(import_scope, "ENTRIES", 20)
    part = import_scope.ImportScope(str(tmp_path), stubs_allowed=True)
    assert (part.partial, "near" in part.own, "far" in part.own) == (True, True, False)
