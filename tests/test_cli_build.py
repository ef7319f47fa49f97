"""The builder by the command line: a small repository becomes a suite; what cannot become one is said in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import command_line

TRAIN = """
import argparse
import os

parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=["linear", "mlp", "cnn"], default="linear", help="which model to train")
parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
parser.add_argument("--epochs", type=int, default=10)
parser.parse_args()
"""
README = """# Tiny

A trainer of tiny models.

## Training

Train a model on the training set:

```bash
python train.py --model mlp --lr 0.01 --epochs 5
```
"""


def mlbench(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return command_line.mlbench(*arguments, cwd=cwd, env={**os.environ, "COLUMNS": "150"})


def repository(folder: Path, readme: str | bytes | None = README, program: str = TRAIN) -> Path:
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(program)
    if readme is not None:
        (folder / "README.md").write_bytes(readme if isinstance(readme, bytes) else readme.encode())
    return folder


def decisions(suite: Path, step: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (suite / "steps" / f"{step}.jsonl").read_text().splitlines()]


def recipe_texts(suite: Path) -> list[str]:
    return [file.read_text() for file in sorted(suite.glob("recipes/*/*.yaml"))]


def contents(suite: Path) -> dict[str, bytes]:
    return {file.relative_to(suite).as_posix(): file.read_bytes() for file in suite.rglob("*") if file.is_file()}


def build(cwd: Path, *arguments: str) -> None:
    done = mlbench("build", *arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr


def refused(cwd: Path, *arguments: str) -> str:
    """What is said, which is one line."""
    done = mlbench("build", *arguments, cwd=cwd)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1, done.stderr
    assert "unexpected" not in done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the repository `tiny` and its suite `suite`; tests do not change them."""
    folder = tmp_path_factory.mktemp("built")
    repository(folder / "tiny")
    build(folder, "tiny", "-o", "suite")
    return folder


def test_a_folder_becomes_a_suite_whose_references_pass(built: Path, tmp_path: Path) -> None:
    done = mlbench("eval", str(built / "suite"), "--model", "mlbench/gold", "--display", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "right (passed)" in done.stdout and "5/5" in done.stdout
    assert mlbench("suites", "check", "suite", cwd=built).returncode == 0


def test_every_step_tells_what_it_decided(built: Path) -> None:
    suite = built / "suite"
    assert [each["subject"] for each in decisions(suite, "readmes")] == ["README.md"]
    assert [each["kept"] for each in decisions(suite, "tasks")] == [True]
    assert {each["subject"] for each in decisions(suite, "arguments")} == {"train.model", "train.lr", "train.epochs"}
    findings = [json.loads(line) for line in (suite / "references.jsonl").read_text().splitlines()]
    rows = decisions(suite, "quality")
    assert len(findings) == len(rows) == 16, "each row of the suite, once"
    assert all(each["passed"] for each in findings) and all(each["kept"] for each in rows)


def test_every_documented_command_has_a_line(tmp_path: Path) -> None:
    repository(tmp_path / "two", README + "```bash\npip install x\npython train.py --nosuch 3\n```\n")
    build(tmp_path, "two", "-o", "suite")
    text = (tmp_path / "suite/steps/left_out.md").read_text()
    assert "| README.md:10 | `python train.py --model mlp --lr 0.01 --epochs 5` | train |" in text
    assert "| README.md:13 | `pip install x` | it installs something (installs) |" in text
    assert "| README.md:14 | `python train.py --nosuch 3` |" in text and "(unknown-argument)" in text


def test_several_repositories_become_one_suite_and_one_that_fails_is_left_out(tmp_path: Path) -> None:
    repository(tmp_path / "one")
    repository(tmp_path / "two", README.replace("Tiny", "Two"))
    repository(tmp_path / "bare", readme=None)
    done = mlbench("build", "one", "bare", "two", "nosuch", "other/one", "-o", "suite", cwd=tmp_path)
    assert done.returncode == 1 and "3 of 5 repositories are not in the suite" in done.stderr, done.stderr
    assert "nosuch: no such folder" in done.stderr and "another repository of the suite is named one" in done.stderr
    assert "bare: no usable task: it has no README or page of documentation" in done.stdout
    suite = yaml.safe_load((tmp_path / "suite/suite.yaml").read_text())
    assert [(each["name"], each["github_id"]) for each in suite["repositories"]] == [("one", 1), ("two", 2)]
    assert suite["sizes_are_limits"] is True  # a review that rejects tasks makes the splits smaller
    assert {each["subject"] for each in decisions(tmp_path / "suite", "readmes")} == {"one/README.md", "two/README.md"}
    assert mlbench("suites", "check", "suite", cwd=tmp_path).returncode == 0
    assert mlbench("build", "one", "two", "-o", "both", cwd=tmp_path).returncode == 0


def test_what_a_person_lists_comes_first_and_the_list_is_kept(tmp_path: Path) -> None:
    tiny = repository(tmp_path / "tiny", README + "\n## Finetuning\n\n```bash\npython finetune.py --epochs 3\n```\n")
    (tiny / "finetune.py").write_text(TRAIN)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite/builder.md").write_text("# Wanted first\n\n- finetune.py\n- `--epochs`\n")
    for _ in range(2):
        build(tmp_path, "tiny", "-o", "suite", "--tasks", "1")
        assert [file.stem for file in (tmp_path / "suite/recipes/tiny").iterdir()] == ["finetune"]
        named = [each["subject"] for each in decisions(tmp_path / "suite", "arguments") if each["kept"]]
        assert next(name for name in named if name.startswith("finetune.")) == "finetune.epochs"


def clone(folder: Path, day: str) -> None:
    """A mirror with one commit of this day."""
    repository(folder)
    env = {**os.environ, "GIT_COMMITTER_DATE": f"{day}T12:00:00Z"}
    for words in ("init -q", "add .", "-c user.name=n -c user.email=e commit -qm m"):
        subprocess.run(["git", "-C", str(folder), *words.split()], check=True, env=env)


def test_a_commit_that_is_older_than_wanted_is_refused_and_the_day_is_recorded(tmp_path: Path) -> None:
    clone(tmp_path / "mirror/fresh", "2025-06-02")
    source = ("https://github.com/a/fresh", "-o", "suite", "--mirror", "mirror")
    said = refused(tmp_path, *source, "--since", "2025-06-03")
    assert "no commit since 2025-06-03; the newest is of 2025-06-02" in said
    assert "expected a date such as 2025-01-31" in refused(tmp_path, *source, "--since", "2025-13-01")
    build(tmp_path, *source, "--since", "2025-06-02")
    assert yaml.safe_load((tmp_path / "suite/catalogue/fresh.yaml").read_text())["committed"] == "2025-06-02"
    assert "2025-06-02" in (tmp_path / "suite/steps/left_out.md").read_text()


def test_the_same_seed_gives_the_same_suite_and_another_seed_another(built: Path) -> None:
    build(built, "tiny", "-o", "again/suite", "--workers", "7")
    build(built, "tiny", "-o", "other", "--seed", "7")
    assert contents(built / "again/suite") == contents(built / "suite")
    assert decisions(built / "other", "quality") != decisions(built / "suite", "quality")


def test_another_repository_takes_the_place_of_an_earlier_build(tmp_path: Path) -> None:
    """What an earlier build of another repository had left stood on in the folder of the new suite."""
    repository(tmp_path / "one")
    repository(tmp_path / "two")
    build(tmp_path, "one", "-o", "suite")
    build(tmp_path, "two", "-o", "suite")
    suite = tmp_path / "suite"
    assert [each.name for each in (suite / "repositories").iterdir()] == ["two"]
    assert [each.name for each in (suite / "recipes").iterdir()] == ["two"]
    assert yaml.safe_load((suite / "suite.yaml").read_text())["repositories"][0]["name"] == "two"


def test_a_build_that_fails_leaves_the_suite_that_was_there_or_none(built: Path, tmp_path: Path) -> None:
    """A build that found nothing left the `suite.yaml` of an earlier one, without its recipes."""
    repository(tmp_path / "tiny")
    repository(tmp_path / "bare", readme=None)
    build(tmp_path, "tiny", "-o", "suite")
    before = recipe_texts(tmp_path / "suite")
    assert "no such folder" in refused(tmp_path, "nosuch", "-o", "suite")
    assert recipe_texts(tmp_path / "suite") == before
    refused(tmp_path, "bare", "-o", "suite")
    assert not (tmp_path / "suite" / "suite.yaml").exists() and not (tmp_path / "suite" / "recipes").exists()


def test_what_a_person_decided_is_not_overwritten(tmp_path: Path) -> None:
    """The repository's copy was thrown away before anybody looked whether the suite may be built anew."""
    repository(tmp_path / "tiny")
    build(tmp_path, "tiny", "-o", "suite")
    recipe = next((tmp_path / "suite").glob("recipes/*/*.yaml"))
    recipe.write_text("reviewed: accepted\n" + recipe.read_text())
    (tmp_path / "suite/repositories/tiny/train.py").write_text("# a person's own\n")
    assert "a person has reviewed this recipe" in refused(tmp_path, "tiny", "-o", "suite")
    assert (tmp_path / "suite/repositories/tiny/train.py").read_text() == "# a person's own\n"


def test_a_suite_that_somebody_wrote_is_not_overwritten(tmp_path: Path) -> None:
    repository(tmp_path / "tiny")
    mine = repository(tmp_path / "mine/repositories/tiny", program="# mine\n")
    (tmp_path / "mine/suite.yaml").write_text("name: mine\n")
    assert "holds something else" in refused(tmp_path, "tiny", "-o", "mine")
    assert (mine / "train.py").read_text() == "# mine\n"


def test_the_repository_of_a_suite_is_not_built_over_itself(built: Path) -> None:
    """The copy was removed before it was copied from."""
    said = refused(built, "suite/repositories/tiny", "-o", "suite")
    assert "is inside the suite's folder" in said
    assert (built / "suite/repositories/tiny/train.py").read_text() == TRAIN


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_build_that_was_ended_can_be_begun_again(ending: signal.Signals, tmp_path: Path) -> None:
    """A build that was killed left a folder that the next one took for something else."""
    repository(tmp_path / "tiny")
    under_way = command_line.start("build", "tiny", "-o", "suite", cwd=tmp_path, env=os.environ)
    deadline = time.monotonic() + 60
    while not (tmp_path / "suite/repositories/tiny/train.py").is_file():
        assert under_way.poll() is None and time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(under_way.pid, ending)
    assert under_way.wait(60) != 0
    assert not (tmp_path / "suite/suite.yaml").exists()
    build(tmp_path, "tiny", "-o", "suite")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("nosuch -o new", "nosuch: no such folder; an address starts with https://"),
        ("http:// -o new", "expected an address such as https://github.com/OWNER/NAME"),
        ("https://github.com/OWNER -o new", "expected an address such as https://github.com/OWNER/NAME"),
        ("https://host.invalid/a/b -o new", "host.invalid"),
        ("https://github.com/a/b -o new --mirror nosuch", "--mirror nosuch: no such folder"),
        ("https://github.com/a/b -o new --mirror .", ". has no clone of a/b"),
        ("empty -o new", "empty: has no files"),
        ("tiny -o tiny/suite", "the suite's folder cannot be inside the repository"),
        ("tiny -o tiny/train.py", "a suite cannot be written there"),
        ("tiny -o /proc/nosuch", "a suite cannot be written there"),
        ("tiny -o tiny", "holds something else"),
        ("tiny -o new --tasks 0", "--tasks 0: at least 1"),
        ("tiny -o new --repo x", "--repo is only for a suite; "),
        ("tiny -o new --revision v1", "--revision, --since and --mirror are only for a URL"),
        ("tiny -o new --base-url http://localhost", "--base-url needs --model"),
        ("tiny -o new --model nosuch/model", "nosuch"),
        ("tiny -o new --reader nosuch/model", "--reader needs --model"),
        ("tiny -o new --model mockllm/model --reader nosuch/model", "nosuch"),
        ("pocket -o new --seed 1", "--seed is only for a repository; pocket is a suite"),
    ],
)
def test_what_cannot_be_built_is_said(arguments: str, said: str, tmp_path: Path) -> None:
    repository(tmp_path / "tiny")
    (tmp_path / "empty").mkdir()
    assert said in refused(tmp_path, *arguments.split())
    assert not (tmp_path / "new").exists(), "no empty folder is left"
    assert sorted(each.name for each in (tmp_path / "tiny").iterdir()) == ["README.md", "train.py"]


def test_a_revision_that_is_not_there_is_said(tmp_path: Path) -> None:
    """It said: git rev-parse: fatal: Needed a single revision."""
    clone = repository(tmp_path / "mirror/b")
    for words in ("init -q", "add .", "-c user.name=n -c user.email=e commit -qm m"):
        subprocess.run(["git", "-C", str(clone), *words.split()], check=True)
    said = refused(tmp_path, "https://github.com/a/b", "-o", "new", "--mirror", "mirror", "--revision", "v9")
    assert "https://github.com/a/b: no revision 'v9'" in said


@pytest.mark.parametrize(
    ("readme", "why"),
    [
        (None, "it has no README or page of documentation"),
        ("", "no README or page of documentation can be used: empty 1"),
        (README + "x" * 5_000_000, "no README or page of documentation can be used: too-long 1"),
        ("# Tiny\n\nNothing to run.\n", "it has no command or code in its pages"),
        (
            "# Tiny\n\n```bash\n./tool --lr 0.1\n```\n",
            "no command or code in its pages can be used: not-of",
        ),
        ("# Tiny\n\n```bash\npython train.py\n```\n", "no argument can be used: too-few-arguments 1"),
    ],
)
def test_why_no_task_can_be_made_is_said(readme: str | None, why: str, tmp_path: Path) -> None:
    """It said only that the folder `steps` says why, which was empty where there was no README."""
    repository(tmp_path / "tiny", readme)
    done = mlbench("build", "tiny", "-o", "suite", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"tiny: no usable task: {why}" in done.stderr


def test_hostile_pages_are_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    tiny = repository(tmp_path / "tiny", README.replace("\n", "\r\n").encode() + b"\r\n\xff\xfe\r\n")
    (tiny / "bad.ipynb").write_text("{not json")
    (tiny / "deep.ipynb").write_text("[" * 100_000)
    (tmp_path / "secret.md").write_text("# Secret\n\n```bash\npython train.py --lr 0.5\n```\n")
    (tiny / "out.md").symlink_to(tmp_path / "secret.md")
    (tiny / "folder").symlink_to("/etc")
    (tiny / "loop.md").symlink_to("loop.md")
    (tiny / "setup.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')\n")
    build(tmp_path, "tiny", "-o", "suite")
    pages = {each["subject"]: each["reason"] for each in decisions(tmp_path / "suite", "readmes")}
    assert pages == {"README.md": "", "bad.ipynb": "unreadable", "deep.ipynb": "unreadable"}
    copied = {each.name for each in (tmp_path / "suite/repositories/tiny").rglob("*")}
    assert not copied & {"out.md", "folder", "loop.md"}
    assert not (tmp_path / "executed").exists()


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def test_what_a_checkout_lacks_is_said_and_the_rest_goes_on(tmp_path: Path) -> None:
    more = "```bash\npython lib/run.py --lr 1\npython tool.py --lr 1\n```\n"
    tiny = repository(tmp_path / "tiny", README + more)
    (tiny / "lib").mkdir()
    (tiny / ".gitmodules").write_text('[submodule "lib"]\n\tpath = lib\n\turl = https://github.com/a/lib\n')
    (tiny / "tool.py").write_text(POINTER)
    with (tiny / "weights.bin").open("wb") as file:
        file.truncate(2_100_000_000)
    done = mlbench("build", "tiny", "-o", "suite", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = "1 submodule (lib); 1 Git LFS file (tool.py); 1 large or unreadable file (weights.bin)"
    assert f"tiny: not in the checkout: {said}" in done.stdout
    assert not (tmp_path / "suite/repositories/tiny/weights.bin").exists()
    left = (tmp_path / "suite/steps/left_out.md").read_text()
    assert "lib is a submodule that was not fetched" in left and "tool.py is a Git LFS pointer" in left


def test_names_that_cannot_be_printed_are_set_aside(tmp_path: Path) -> None:
    """A page whose name is no UTF-8 ended the build with an unexpected error."""
    tiny = repository(tmp_path / "tiny")
    for name in (b"\xff\xfe.md", b"a\nb.md"):
        (tiny / os.fsdecode(name)).write_text(README)
    os.mkfifo(tiny / "pipe.md")
    build(tmp_path, "tiny", "-o", "suite")
    assert [each["reason"] for each in decisions(tmp_path / "suite", "readmes")] == ["", "odd-name", "odd-name"]


def test_a_program_with_a_syntax_error_and_a_hostile_setup(tmp_path: Path) -> None:
    tiny = repository(tmp_path / "tiny", README + "```bash\npython bad.py --lr 1\n```\n")
    (tiny / "bad.py").write_text("if (:\n")
    (tiny / "setup.py").write_text("while True:\n    open('executed', 'w')\n")
    (tiny / "pyproject.toml").write_text("[project\nname=")
    build(tmp_path, "tiny", "-o", "suite")
    assert "(broken: python-syntax)" in (tmp_path / "suite/steps/left_out.md").read_text()


def test_a_program_runs_in_the_jail_alone(tmp_path: Path) -> None:
    marker = f"open({str(tmp_path / 'executed')!r}, 'w').close()\n"
    repository(tmp_path / "tiny", program=f"try:\n    {marker}except OSError:\n    pass\n{TRAIN}")
    build(tmp_path, "tiny", "-o", "suite")
    assert not (tmp_path / "executed").exists()
