"""What bash would run: texts and the programs of a small repository that they start."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

import mlbench.interface_check.runtime
from mlbench.interface_check import bash_trace
from mlbench.interface_check.bash_trace import follow
from mlbench.interface_check.launched_programs import starts
from mlbench.interface_check.launches import Launch, Starts
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import Limits
from mlbench.shell.literal_shell import literal
from mlbench.shell.shell_static import faults, is_plain

pytestmark = pytest.mark.anyio

FILES = {
    "train.py": "",
    "tools/eval.py": "",
    "pkg/__init__.py": "",
    "pkg/cli.py": "",
    "src/deep/__init__.py": "",
    "src/deep/run.py": "",
    "run.py": "#!/usr/bin/env python\n",
    "plain.py": "#!/usr/bin/env python\n",
    "scripts/run.sh": '#!/bin/bash\nG=$1\nshift\nfor s in 1 2; do\n  python train.py --gpu $G --seed $s "$@"\ndone\n',
    "scripts/usage.sh": 'if [ $# -lt 1 ]; then echo "usage: $0 NAME" >&2; exit 1; fi\npython train.py $1\n',
    "scripts/data.sh": '[ ! -f "$1" ] && echo "no $1" && exit 1\n[ -d data ] || exit 2\npython train.py $1\n',
    "scripts/cd.sh": 'cd "$(dirname "$0")/.."\nexec python tools/eval.py "${MODE:-slow}"\n',
    "scripts/fetch.sh": "set -e\nwget http://nowhere/x.zip\nunzip x.zip\npython train.py\n",
    "env.sh": "export MODE=fast\nDATA=cora\n",
    "setup.py": 'from setuptools import setup\nsetup(entry_points={"console_scripts": ["x-train = pkg.cli:main"]})\n',
}
EXECUTABLE = ("run.py", "scripts/run.sh")
PROBE = ((Path(mlbench.interface_check.runtime.__file__).parent, "/opt/probe"),)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        (root / name).chmod(0o755 if name in EXECUTABLE else 0o644)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield root
    launcher_pool.stop_all()


@pytest.fixture(scope="module")
async def frozen(repository: Path) -> AsyncIterator[Jail]:
    jail = await Jail.start(Mounts(repository, frozen=True, shown=PROBE), Limits())
    yield jail
    await jail.close()


async def ask(frozen: Jail, repository: Path, text: str, cwd: str = WORKSPACE, prefix: str = "") -> Starts:
    """As the check does: in the shared jail, or where that cannot be, in one of its own."""
    found = await starts(frozen, repository, text, cwd, prefix=prefix)
    if found.alone:
        jail = await Jail.start(Mounts(repository, shown=PROBE), Limits())
        found = await starts(jail, repository, text, cwd, prefix=prefix, own=True)
        await jail.close()
    return found


def line(start: Launch) -> str:
    """A start as one line: folder if not the root, variables, program or its fault, words."""
    folder = f"{start.cwd.removeprefix(WORKSPACE + '/')}: " if start.cwd != WORKSPACE else ""
    env = "".join(f"{name}={value} " for name, value in sorted(start.env.items()))
    what = f"!{start.fault.reason}" if start.fault else f"{start.run} {start.program or start.target.strip()}"
    return f"{folder}{env}{what} {'|'.join(start.argv)}".removesuffix(" ")


TEXTS = {
    # words
    "python train.py --lr 0.1 \\\n  --name \"a b\" 'c d' e\\ f": ["file train.py --lr|0.1|--name|a b|c d|e f"],
    "# first\npython train.py --x '#1' # last": ["file train.py --x|#1"],
    "python train.py ~/x {a,b} $((1+2))": ["file train.py /home/user/x|a|b|3"],
    "python train.py --glob scripts/[cr]*.sh 'scripts/*.sh'": [
        "file train.py --glob|scripts/cd.sh|scripts/run.sh|scripts/*.sh"
    ],
    "python train.py --x $'a\\tb' \"\" ''": ["file train.py --x|a\tb||"],
    "python train.py --lr=1e-4\r\n": ["file train.py --lr=1e-4\r"],
    "echo python train.py": [],
    "# python train.py": [],
    "": [],
    # variables
    "CUDA_VISIBLE_DEVICES=0,1 python3 -u train.py": ["CUDA_VISIBLE_DEVICES=0,1 file train.py"],
    "export A=1\nB=2\npython train.py --x $A --y ${B} --z ${C:-7}": ["A=1 file train.py --x|1|--y|2|--z|7"],
    'export A=\'x $y\nz\' B; B="q\\""; python train.py $B': ['A=x $y\nz B=q" file train.py q"'],
    "A=1 python train.py $A; python train.py": ["A=1 !unresolved-variable", "file train.py"],
    "python train.py --data $DATA": ["!unresolved-variable --data"],
    'python train.py "${OUT}/y"': ["!unresolved-variable /y"],
    "python train.py $1": ["!unresolved-variable"],
    'python train.py "$@"': ["!unresolved-variable"],
    "set -- 3; python train.py $1": ["file train.py 3"],
    "read X; python train.py": ["file train.py"],
    '[ -z "$GPU" ] && GPU=0; python train.py --gpu $GPU': ["file train.py --gpu|0"],
    'ARGS=(--a 1 --b "2 3"); python train.py "${ARGS[@]}"': ["file train.py --a|1|--b|2 3"],
    'CMD="python train.py --a 1"; $CMD --b': ["file train.py --a|1|--b"],
    "PY=/usr/bin/python3; $PY train.py": ["file train.py"],
    "P=cora-x; python train.py ${P%-x} ${#P} ${P/cora/b} ${P^^}": ["file train.py cora|6|b-x|CORA-X"],
    # folders
    "cd tools && python eval.py --k 3; cd ..; python train.py": ["tools: file tools/eval.py --k|3", "file train.py"],
    "(cd tools; python eval.py); python train.py": ["tools: file tools/eval.py", "file train.py"],
    "(python train.py 1; python train.py 2); (python train.py 3); python train.py 4": [
        f"file train.py {n}" for n in (1, 2, 3, 4)
    ],
    "pushd tools; python eval.py; popd; python train.py": ["tools: file tools/eval.py", "file train.py"],
    "cd tools\npython ../train.py": ["tools: file train.py"],
    "cd nowhere && python train.py": [],
    "cd tools; python train.py": ["tools: !no-such-file"],
    "D=$(pwd)/data; python train.py $D $(dirname /a/b) `basename /a/b`": ["file train.py /workspace/data|/a|b"],
    # control
    "for lr in 0.1 0.01; do python train.py --lr $lr; done": ["file train.py --lr|0.1", "file train.py --lr|0.01"],
    "for i in $(seq 2); do python train.py $i; done": ["file train.py 1", "file train.py 2"],
    "for ((i=0; i<2; i++)); do python train.py $i; done": ["file train.py 0", "file train.py 1"],
    "i=0; while [ $i -lt 2 ]; do python train.py $i; i=$((i+1)); done": ["file train.py 0", "file train.py 1"],
    "while read a; do python train.py $a; done < env.sh": ["file train.py export|MODE=fast", "file train.py DATA=cora"],
    "if [ -f train.py ]; then python train.py; else python other.py; fi": ["file train.py"],
    "[[ -d missing ]] || python train.py": ["file train.py"],
    "false && python train.py": [],
    "set -e; python train.py; false; python tools/eval.py": ["file train.py"],
    "exit 0\npython train.py": [],
    "case $(uname) in Linux) python train.py;; *) python no.py;; esac": ["file train.py"],
    "f() { python train.py --n $1; }\nf 3": ["file train.py --n|3"],
    'f() { local d=$1; shift; (cd $d && python "$@"); }; f tools eval.py 4': ["tools: file tools/eval.py 4"],
    "trap 'python train.py' EXIT": ["file train.py"],
    "python train.py 1 & python train.py 2 & python train.py 3 & wait": [f"file train.py {n}" for n in (1, 2, 3)],
    "python train.py | python tools/eval.py": ["file train.py", "file tools/eval.py"],
    "python train.py > /dev/null 2>&1": ["file train.py"],
    "python train.py 2>&1 | tee log": ["file train.py"],
    "nohup python train.py > log.txt 2>&1 &": ["file train.py"],
    "python train.py > missing/log": [],
    "exec python train.py\npython tools/eval.py": ["file train.py"],
    "command python train.py": ["file train.py"],
    "time python train.py": ["file train.py"],
    "which python && command -v python && python train.py": ["file train.py"],
    "ls; sleep 60; python train.py": ["file train.py"],
    # shells in shells
    "bash scripts/run.sh 3 --lr 0.1": [f"file train.py --gpu|3|--seed|{n}|--lr|0.1" for n in (1, 2)],
    "./scripts/run.sh 3": [f"file train.py --gpu|3|--seed|{n}" for n in (1, 2)],
    "cd scripts && sh ./run.sh 3": [
        "scripts: !no-such-file --gpu|3|--seed|1",
        "scripts: !no-such-file --gpu|3|--seed|2",
    ],
    "MODE=quick bash scripts/cd.sh": ["MODE=quick file tools/eval.py quick"],
    "nohup bash scripts/cd.sh &": ["file tools/eval.py slow"],
    "env MODE=q timeout 9 sh scripts/cd.sh": ["MODE=q file tools/eval.py q"],
    "sh scripts/usage.sh": ["!usage"],
    "sh scripts/usage.sh foo": ["file train.py foo"],
    "bash scripts/data.sh a.txt": ["file train.py a.txt"],  # the inputs of the user are taken to be there
    "echo '[ -f a.txt ] || exit 1; python train.py' > own.sh; bash own.sh": [],  # not those of the text's own script
    "bash scripts/missing.sh": ["!no-such-file"],
    "bash scripts/fetch.sh": ["!cannot-follow"],
    'python train.py --text "<|a|>\\n{phrase}<|b|>"': ["file train.py --text|<|a|>\\n{phrase}<|b|>"],
    "source env.sh && python train.py --data $DATA": ["MODE=fast file train.py --data|cora"],
    ". ./env.sh; python train.py": ["MODE=fast file train.py"],
    "sh -c \"python train.py --x '1 2'\"": ["file train.py --x|1 2"],
    "bash -c 'python train.py $0 $1' a b": ["file train.py a|b"],
    'eval "python train.py --x 3"': ["file train.py --x|3"],
    'echo "python train.py" | bash': ["file train.py"],
    "bash <<'EOF'\npython train.py $HOME\nEOF": ["file train.py /home/user"],
    # files that the text writes
    "cat > go.sh <<'EOF'\npython train.py --a \"$1\"\nEOF\nbash go.sh 9": ["file train.py --a|9"],
    "cp scripts/run.sh my.sh; chmod +x my.sh; ./my.sh 4": [f"file train.py --gpu|4|--seed|{n}" for n in (1, 2)],
    "mkdir -p out/x && python train.py --out out/x": ["file train.py --out|out/x"],
    "cat > new.py <<EOF\nprint($HOME)\nEOF\npython new.py --x": ["file new.py --x"],
    "sed -i 's/a/b/' train.py; echo x >> train.py; python train.py": ["!touches-code"],
    "mkdir bin; echo x > bin/python; chmod +x bin/python; export PATH=$PWD/bin:$PATH; python train.py": [
        "PATH=/workspace/bin:/usr/local/bin:/usr/bin:/bin !touches-code"
    ],
    "mkdir bin; cp train.py bin/python; chmod +x bin/python; ./bin/python train.py": ["!touches-code"],
    # programs
    "/usr/bin/python3 train.py": ["file train.py"],
    "./run.py --a": ["file run.py --a"],
    "./plain.py --a": ["!no-such-program --a"],
    "./missing.py": ["!no-such-file"],
    "python eval.py": ["!no-such-file"],
    "python /tmp/x.py": ["!not-a-call-of-the-repository"],
    "python -m pkg.cli --x": ["module pkg/cli.py --x"],
    "python -m deep.run": ["module src/deep/run.py"],
    "python -m pkg.missing": ["!no-such-module"],
    "python -m tools/eval.py": ["!no-such-module"],
    "python -m pip install -e . && python train.py": ["file train.py"],
    "x-train --a 1": ["console-script pkg/cli.py --a|1"],
    "Train the model": ["!no-such-program the|model"],
    "pip install torch": [],
    "python - <<'EOF'\nprint(\"$x\")\nEOF": ['code print("$x")'],
    "python -c 'import pkg' 3": ["code import pkg 3"],
    # programs that start others
    "xargs -n1 python train.py < env.sh": [f"file train.py {word}" for word in ("export", "MODE=fast", "DATA=cora")],
    "echo cora 3 | xargs -I{} python train.py --data {} -n 1": ["file train.py --data|cora 3|-n|1"],
    "printf 'a b\\0c' | xargs -0 -n 1 -P 1 ./run.py --x": ["file run.py --x|a b", "file run.py --x|c"],
    "echo 3 | xargs bash scripts/run.sh": [f"file train.py --gpu|3|--seed|{n}" for n in (1, 2)],
    "find . -name eval.py -exec python {} +": ["file tools/eval.py"],
    "find tools -name '*.py' -exec sh -c 'python \"$1\" --x' _ {} \\;": ["file tools/eval.py --x"],
    "script -qec 'python train.py --x' /dev/null": ["file train.py --x"],
    "parallel python train.py ::: 1 2": ["!cannot-follow python|train.py|:::|1|2"],
    # what it calls itself
    'cd "$(dirname "$0")"\npython train.py': ["file train.py"],
    'set -euo pipefail\nD="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\npython "$D/train.py"': ["file train.py"],
    'set -eu\ncd "$(dirname "$(readlink -f "$0")")/tools"\npython eval.py': ["tools: file tools/eval.py"],
    # the program's path
    "python ./train.py": ["file train.py"],
    "python $PWD/tools/../train.py": ["file train.py"],
    "cd tools; python ../tools/eval.py": ["tools: file tools/eval.py"],
    "ln -s train.py t.py; python t.py": ["file train.py"],
    "mkdir d; ln -s ../src d/s; python d/s/../train.py": ["file train.py"],
    "ln -s tools t; cd t; python eval.py": ["tools: file tools/eval.py"],
    "chmod +x plain.py; ./plain.py --a": ["file plain.py --a"],
    # what a program before it may have written
    "set -e; python train.py; cat out/log.txt; python tools/eval.py": ["file train.py", "file tools/eval.py"],
    "set -e; cat out/log.txt; python tools/eval.py": [],
    "python train.py; [ -f out/x ] || exit 1; python tools/eval.py": ["file train.py", "file tools/eval.py"],
    "python train.py; if [[ ! -f out/x ]]; then exit 1; fi; python tools/eval.py": [
        "file train.py",
        "file tools/eval.py",
    ],
    "[ -f out/x ] || exit 1; python train.py": [],
    "set -eo pipefail; python train.py | tee log | grep acc; python tools/eval.py": [
        "file train.py",
        "file tools/eval.py",
    ],
    # what a program prints
    'R=$(python train.py); echo "$R"': ["file train.py"],
    "[ $(python train.py) = 1 ] && python tools/eval.py": [
        "!cannot-follow mlbench-output-of-python|=|1",
        "file train.py",
    ],
    'eval "$(conda shell.bash hook)"; python train.py': ["file train.py"],
    "$(python train.py)": ["!cannot-follow", "file train.py"],
    "wget -q http://x/y/go.sh; bash go.sh > log": ["!remote-code"],
    "X=`wget -qO- http://x/y`; eval $X": ["!remote-code"],
    # environments
    "set -e; python -m venv v && source v/bin/activate && pip install -r x; python train.py": ["file train.py"],
    '. "v/bin/activate"; source env.sh; python train.py $DATA': ["MODE=fast file train.py cora"],
    # a bound of its own
    "ulimit -n 4096; ulimit -c 0; python train.py": ["file train.py"],
}


@pytest.mark.parametrize("text", TEXTS)
async def test_programs_that_a_text_starts(frozen: Jail, repository: Path, text: str) -> None:
    assert [line(start) for start in (await ask(frozen, repository, text)).starts] == TEXTS[text]


async def test_shortcut_and_bash_agree(frozen: Jail) -> None:
    single = [text for text in TEXTS if literal(text, WORKSPACE)]
    assert len(single) >= 8
    for text in single:
        (alone,) = literal(text, WORKSPACE)
        (followed,) = (await follow(frozen, text)).commands
        assert (alone.argv, alone.cwd, alone.env) == (followed.argv, followed.cwd, followed.env)


@pytest.mark.parametrize(
    "text",
    [
        "cd tools && python eval.py --lr 1e-3",
        "cd tools\n\npython eval.py \\\n  --a 1 \\\n  --b 2",
        "cd tools; cd ..; python train.py",
        "cd ./src/deep/../deep && X=3 python run.py -x",
        "export DATA=data/cora\nOUT=runs/${DATA}\npython train.py --data $DATA/x --out=${OUT}_1 --both $DATA:$OUT",
        'D=a\n# why\npython train.py --d "$D" --e x"${D}"',
        "A=1\nA=2\nexport B=$A\npython train.py $A$B",
        "export A=1\nA=2 python train.py $A;",
        'echo "starting: it\'s late"\npython train.py --a 1; python tools/eval.py\necho done',
        "python train.py\nexport A=1\ncd tools\npython eval.py --a $A",
        "python a.py\npython b.py",
    ],
)
async def test_folders_and_variables_take_the_shortcut_as_bash_does(frozen: Jail, repository: Path, text: str) -> None:
    alone = literal(
        text, WORKSPACE, frozen.env, lambda folder: (repository / Path(folder).relative_to(WORKSPACE)).is_dir()
    )
    followed = await follow(frozen, text)
    assert not followed.faults
    assert alone == followed.commands


@pytest.mark.parametrize(
    "text",
    [
        "RANDOM=5; python train.py $RANDOM",
        "HOME=/x; python train.py $HOME",
        "PYTHONPATH=x; python train.py",
        "cd nowhere && python train.py",
        "cd /tmp && python train.py",
        "cd - && python train.py",
        "A=1; python train.py '$A'",
        "A='x y'; python train.py $A",
        "A=*; python train.py $A",
        "A=1 && python train.py ${A:-2}",
        "A=1 || python train.py $A",
        "python train.py && python train.py",
        "cd tools &&",
        "A=$B\npython train.py $A",
        "python train.py $X",
        "python a.py *.py",
        "python a.py; ls",
        "python",
        "python -",
        "python a.py > x",
        "python a.py & ",
        'python a.py "$X"',
        "python a.py ~/x",
        "cd x",
        "timeout-run bash x.sh",
        "PATH=. python a.py",
        "python a.py –lr",
        "python a.py {1,2}",
        "python a.py `ls`",
        "python a.py 'x",
        "echo x > y; python a.py",
        "echo $(ls); python a.py",
        "python a.py && echo done",
    ],
)
def test_what_needs_bash_takes_no_shortcut(text: str) -> None:
    assert literal(text, WORKSPACE, ("PATH", "HOME"), lambda folder: folder == f"{WORKSPACE}/tools") == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("while true; do :; done", "cannot-follow"),
        ("printf 'x' >&77; python train.py", "cannot-follow"),
        ("exec {out}>77; python train.py", "cannot-follow"),
        ("echo `{out}>77 echo`; python train.py", "cannot-follow"),
        ("command_not_found_handle() { :; }; python train.py", "cannot-follow"),
        ("echo x > /proc/self/fd/77", "cannot-follow"),
        ("trap '' DEBUG; python train.py", "cannot-follow"),
        ("cd nowhere && python train.py", "no-such-folder"),
        ("source missing.sh; python train.py", "no-such-file"),
        ("python train.py (x", "shell-syntax"),
        ("python train.py 'x", "shell-syntax"),
        ("python train.py –lr 0.1", "pasted-characters"),
        ("python train.py --x “a”", "pasted-characters"),
        ("python train.py\u00a0--x", "pasted-characters"),
        ("python train.py --data <path_to_data>", "placeholder"),
        ("python train.py --data /path/to/data", "placeholder"),
        ("python train.py --data [DATASET]", "placeholder"),
        ("python train.py ...", "placeholder"),
        ("python train.py --key YOUR_KEY", "placeholder"),
        ("set -u; python train.py $NOTHING", "unresolved-variable"),
        ("python train.py\0", "nul-byte"),
        ("python train.py " + "x" * 30_000, "too-long"),
    ],
)
async def test_faults(frozen: Jail, repository: Path, text: str, reason: str) -> None:
    assert reason in {fault.reason for fault in (await ask(frozen, repository, text)).faults}


async def test_a_text_that_never_ends_cannot_be_followed(
    frozen: Jail, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bash_trace, "SECONDS", 2.0)  # ten by default
    followed = await ask(frozen, repository, "while true; do python train.py; done")
    assert "cannot-follow" in {fault.reason for fault in followed.faults}


@pytest.mark.parametrize(
    "text",
    [
        "python train.py --prompt 'it’s “here”'",
        "python train.py --range 1...3 --x [a-z] --y ${A:-{b}} < in.txt > out.txt",
        "# what – is <this>\npython train.py",
        "cat <<EOF\n“x”\nEOF",
    ],
)
def test_faults_are_not_seen_where_there_are_none(text: str) -> None:
    assert faults(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "kill -9 -1",
        "bash -c 'kill -9 -1'",
        "bash -ec 'kill -9 -1'",
        "echo 'kill -9 -1' | bash",
        "env bash -c x",
        "X=bash; timeout 3 $X -c x",
        "$X",
        "f() { f | f & }; f",
        "while :; do :; done",
        "eval x",
        "source /dev/stdin",
        "cat /proc/1/environ",
        "exec 3<>/dev/tcp/127.0.0.1/80",
        "BASH_ENV=x bash scripts/run.sh",
        "python train.py > log",
        "python train.py --lr <value> ~/x",
        "python train.py <value> /dev/tcp",
        "python train.py <value; echo > x",
        "cat <<EOF > x\ny\nEOF",
        "bash <<EOF\nkill -9 -1\nEOF",
        "find . -delete",
        "awk 'BEGIN{system(\"x\")}'",
        "trap x EXIT",
        "builtin ulimit -v 1",
        "python train.py (",
        ". <(echo kill -9 -1)",
        "builtin kill -9 -1",
        "command kill -9 -1",
        "nohup sh -c x",
        "mapfile x",
        "cd /proc",
        "cat ../proc/1/maps",
    ],
)
def test_not_plain(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "cd tools && A=1 python eval.py; cd .. | cat",
        "export A=1\nfor i in 1 2; do python train.py $i; done",
        "bash scripts/run.sh 3 > /dev/null 2>&1 &",
        "D=$(pwd)/x; [ -d $D ] && python train.py ${D%/}",
        "python - <<EOF\nprint(1)\nEOF",
        "python train.py --lr <value> --epochs 3",
    ],
)
def test_plain(text: str) -> None:
    assert is_plain(text)


async def test_surroundings_of_a_command(frozen: Jail) -> None:
    text = "python a | cat\nif python b; then python c; fi\npython d || true\npython e & python f\n! python g\npython h"
    commands = [one for one in (await follow(frozen, text)).commands if one.kind == "command"]
    marks = ("guarded", "background")
    assert {one.argv[1]: [mark for mark in marks if getattr(one, mark)] for one in commands} == {
        "a": [],
        "b": ["guarded"],
        "c": [],
        "d": ["guarded"],
        "e": ["background"],
        "f": [],
        "g": ["guarded"],
        "h": [],
    }


async def test_a_text_that_writes_is_sent_to_a_jail_of_its_own(frozen: Jail, repository: Path) -> None:
    assert (await starts(frozen, repository, "python train.py > log")).alone
    assert (await starts(frozen, repository, "mkdir out; python train.py")).alone  # seen only when it is tried
    found = await ask(frozen, repository, "mkdir out; python train.py > out/log")
    assert found.written == ("/workspace/out/log",)
    assert not (repository / "out").exists()


async def test_prefix_and_folder(frozen: Jail, repository: Path) -> None:
    found = await ask(frozen, repository, "python eval.py $K", f"{WORKSPACE}/tools", prefix="export K=5")
    assert [line(start) for start in found.starts] == ["tools: K=5 file tools/eval.py 5"]
    missing = await ask(frozen, repository, "python eval.py", f"{WORKSPACE}/nowhere")
    assert [fault.reason for fault in missing.faults] == ["no-such-folder"]


async def test_hint_names_the_file_that_was_meant(frozen: Jail, repository: Path) -> None:
    (start,) = (await ask(frozen, repository, "python eval.py")).starts
    assert start.fault is not None
    assert start.fault.message == "there is no eval.py in the root folder; there is tools/eval.py"
    (script,) = (await ask(frozen, repository, "bash run.sh")).starts
    assert script.fault is not None
    assert script.fault.message.endswith("there is scripts/run.sh")
