"""Inputs by content: what a command copied, linked or wrote itself is what it holds, not what it is called."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.runtime.inputs import CHANGED_LATER, LARGEST, MOST_FILES, digests, is_folder
from mlbench.records import Candidate, Check, CheckStatus

pytestmark = pytest.mark.anyio

PARSE = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--config', default='a.yaml')\np.parse_args()\n"
FILES = {
    "train.py": PARSE,
    "a.yaml": "lr: 0.1\n",
    "data/x.txt": "x\n",
    "lib/__init__.py": "def load(name): return name\n",
}


@pytest.fixture(scope="module")
async def checker(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Checker]:
    root = tmp_path_factory.mktemp("repository")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    async with Checker(CheckTarget(CheckEnv(root, preload=()))) as checker:
        yield checker


async def ask(checker: Checker, code: str) -> Check:
    return await checker.check(Candidate(code, "shell", "test"))


async def digest(checker: Checker, code: str, name: str) -> str:
    check = await ask(checker, code)
    assert check.status is CheckStatus.ACCEPTED, check
    return check.invocations[-1].inputs.get(name, "")


@pytest.mark.parametrize(
    "write",
    [
        "cp a.yaml b.yaml",
        "ln -s $PWD/a.yaml b.yaml",
        "cat a.yaml > b.yaml",
        "printf 'lr: 0.1\\n' | tee b.yaml",
        "cat > b.yaml <<'EOF'\nlr: 0.1\nEOF",
        "sed 's/0.1/0.2/' a.yaml > b.yaml && sed -i 's/0.2/0.1/' b.yaml",
        "install -m 600 a.yaml b.yaml",
        "python -c \"open('b.yaml', 'w').write(open('a.yaml').read())\"",
    ],
)
async def test_a_copy_however_it_was_made_has_the_same_digest(checker: Checker, write: str) -> None:
    original = await digest(checker, "touch x; python train.py", "a.yaml")
    assert original
    assert await digest(checker, f"{write}\npython train.py --config b.yaml", "b.yaml") == original
    assert await digest(checker, f"{write}\nsed -i 's/1/2/' b.yaml\npython train.py --config b.yaml", "b.yaml") not in (
        "",
        original,
    )


async def test_an_input_that_is_changed_after_the_start_is_not_what_was_read(checker: Checker) -> None:
    found = await digest(checker, "echo 'lr: 9' > b.yaml; python train.py --config b.yaml; cp a.yaml b.yaml", "b.yaml")
    assert found == CHANGED_LATER


@pytest.mark.parametrize(
    "write",
    [
        "mkfifo b.yaml",
        "ln -s /dev/zero b.yaml",
        "head -c 5000000 /dev/zero > b.yaml",
        "ln -s /etc/passwd b.yaml",
        "ln -s b.yaml b.yaml",
    ],
)
async def test_what_is_no_small_file_of_the_jail_is_never_read(checker: Checker, write: str) -> None:
    assert await digest(checker, f"{write} || true\npython train.py --config b.yaml", "b.yaml") == ""


async def test_what_the_shell_does_to_a_file_that_python_code_makes_is_not_known(checker: Checker) -> None:
    copy = "python -c \"import shutil; shutil.copy('a.yaml', 'b.yaml')\""
    for change in ("sed -i s/1/2/ b.yaml", "echo 'lr: 9' >> b.yaml"):
        found = await digest(checker, f"{copy}\n{change}\npython train.py --config b.yaml", "b.yaml")
        assert found == CHANGED_LATER


async def test_a_command_that_writes_nothing_reads_no_input(checker: Checker) -> None:
    check = await ask(checker, "python train.py --config a.yaml")
    assert check.invocations[0].inputs == {}


def test_digests_are_bounded_and_never_wait(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"")
    os.truncate(tmp_path / "large", LARGEST + 1)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "many").mkdir()
    for number in range(MOST_FILES + 1):
        (tmp_path / "many" / str(number)).write_text("x")
    (tmp_path / "with_fifo").mkdir()
    os.mkfifo(tmp_path / "with_fifo" / "fifo")
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "x").write_text("x")
    began = time.monotonic()
    names = ["large", "fifo", "many", "with_fifo", "empty", "out/passwd", "tree", "gone", "x" * 300, "a\0b"]
    found = digests(names, str(tmp_path), [str(tmp_path)])
    assert list(found) == ["tree"]
    assert is_folder(found["tree"])
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "code",
    [
        '"$(which python)" ./train.py --config a.yaml',
        "$(command -v python3) train.py --config a.yaml",
        "`which python3` train.py --config a.yaml",
        "printf 'go:\\n\\tpython train.py --config $(C)\\n' > Makefile\nmake -s go C=a.yaml",
        "mkdir m; printf 'X = a.yaml\nall:\n\t@cd .. && python train.py --config $X\n' > m/mk; make -C m -f mk",
        "printf 'go:\\n\\tpython train.py --config a.yaml\\n' > Makefile; timeout 60 make go",
    ],
)
async def test_programs_behind_which_and_make_are_followed(checker: Checker, code: str) -> None:
    check = await ask(checker, code)
    assert check.status is CheckStatus.ACCEPTED, check
    assert check.invocations[0].program == "train.py"
    assert check.invocations[0].argv == ("--config", "a.yaml")


@pytest.mark.parametrize(
    "line", ["override SHELL = /usr/bin/python3", ".SHELLFLAGS = -x", "include x.mk", "load ./x.so"]
)
async def test_a_makefile_that_could_go_past_the_follower_is_not_followed(checker: Checker, line: str) -> None:
    check = await ask(checker, f"printf '{line}\\ngo:\\n\\tpython train.py\\n' > Makefile\nmake go")
    assert (check.status, check.reason) == (CheckStatus.UNDECIDED, "cannot-follow"), check


async def test_calls_of_a_python_file_that_the_text_wrote_count(checker: Checker) -> None:
    check = await ask(
        checker, "cat > go.py <<'EOF'\nimport sys\nfrom lib import load\nload(sys.argv[1])\nEOF\npython go.py x"
    )
    assert check.status is CheckStatus.ACCEPTED, check
    assert check.invocations[0].calls[0].arguments == {"name": "x"}
