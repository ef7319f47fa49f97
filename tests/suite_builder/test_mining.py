"""From blocks to tasks: what the repository accepts becomes a task, everything else a decision with its reason."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Literal, TypeVar

import pytest
from inspect_ai.model import get_model
from inspect_ai.util import SandboxUnavailableError
from pydantic import BaseModel, ValidationError

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.interface_check.client_pool import Servers
from mlbench.records import Candidate, Check, CheckStatus, Invocation
from mlbench.suite_builder.build_state import BuildOptions, RepositoryBuild, _why_none
from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.docs.select_docs import select
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.mining.check_snippets import CheckRequest, form_of
from mlbench.suite_builder.mining.refusals import refused
from mlbench.suite_builder.mining.snippets import MOST_LINES_OF_CODE
from mlbench.suite_builder.mining.tasks import WRONG, Mined, _wanted, in_place_of, mine
from mlbench.suite_builder.mining.working_dirs import WorkingDirs, installed, named_first, roots_of
from mlbench.suite_builder.recipe_writing import recipes
from mlbench.suite_builder.repository_build import _told_apart, recipes_of
from mlbench.suite_builder.source import RepositorySource
from mlbench.suite_builder.types import BuildDecision, CodeBlock, DraftArgument, DraftTask, RecipeDraft

pytestmark = pytest.mark.anyio

A = TypeVar("A", bound=BaseModel)
PARSE = "import argparse\np = argparse.ArgumentParser()\n"
FILES = {
    "train.py": PARSE + "p.add_argument('--lr', type=float)\np.add_argument('--data', choices=['cora', 'pubmed'])\n"
    "p.add_argument('--epochs', type=int)\np.add_argument('--out')\np.parse_args()\n",
    "tools/convert.py": PARSE + "p.add_argument('--src')\np.add_argument('--to')\np.parse_args()\n",
    "examples/gat/main.py": PARSE
    + "p.add_argument('--heads', type=int)\np.add_argument('--dim', type=int)\np.parse_args()\n",
    "byhand.py": "import sys\nprint(sys.argv[1])\n",
    "lib/__init__.py": "class Net:\n    def __init__(self, dim): pass\n    def fit(self, epochs): return self\n",
    "README.md": """\
        # Tool
        ## Install
        ```
        pip install -r requirements.txt
        git clone https://example.org/tool && cd tool
        ```
        ## Training
        Train on Cora:
        ```
        $ export OUT=./runs
        $ python train.py --lr 0.1 --data cora --out $OUT
        loss: 0.3
        $ python train.py --lr 0.2 --data pubmed --out $OUT
        ```
        The number of epochs can be given:
        ```
        python train.py --epochs <number of epochs> --data [dataset name]
        python train.py --learning-rate 0.1
        python byhand.py --lr 1
        python train.py --out a --data [cora/pubmed]
        python missing.py --lr 1
        for lr in $(cat lr.txt); do python train.py --lr $lr; done
        tensorboard --logdir runs
        ```
        ## Converting
        Use `convert.py`:
        ```
        cd tools
        python convert.py --src /path/to/data --to out.bin
        ```
        ## Python
        ```python
        from lib import Net
        ```
        Then
        ```python
        net = Net(dim=3)
        net.fit(epochs=2)
        ```
        ```python
        net.fit(epochs=unknown)
        ```
        ```python
        wide = Net(dim=9)
        open("nowhere.txt").read()
        ```
        ```python
        import json
        json.dumps(1)
        ```
        ```python
        while True: net.fit(epochs=int(input()))
        ```
        ```
        python train.py --out results/RUN_ID --lr 0.1
        python tools/convert.py --src configs/./data/a.yaml.yaml
        ```
        ```yaml
        lr: 0.1
        ```
        ## Docker (deprecated: it is not pushed any more)
        ```
        python train.py --lr 0.7
        ```
        """,
    "examples/gat/README.md": "# GAT\nRun:\n" + "```\npython main.py --heads 2 --dim 8\n```\n" * 2,
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tool")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(dedent(text))
    return root


@pytest.fixture(scope="module")
async def checker(repository: Path) -> AsyncIterator[Checker]:
    async with Checker(CheckTarget(CheckEnv(repository, preload=())), workers=2) as checker:
        yield checker


@pytest.fixture(scope="module")
async def mined(repository: Path, checker: Checker) -> Mined:
    found = [block for page in select(repository).pages for block in blocks(page)]
    return await mine(repository, found, checker)


def line_of(text: str) -> int:
    return next(at for at, line in enumerate(dedent(FILES["README.md"]).split("\n"), 1) if text in line)


def reason_at(mined: Mined, text: str) -> str:
    at = f"README.md:{line_of(text)}"
    (reason,) = {each.reason for each in mined.decisions if each.subject.partition("-")[0] == at and not each.kept}
    return reason


async def test_what_is_accepted_is_a_task_in_its_folder(mined: Mined) -> None:
    assert [(task.name, task.path, task.program) for task in mined.tasks] == [
        ("train", ".", "train.py"),
        ("train-training", ".", "train.py"),
        ("train-tool", ".", "train.py"),  # `[cora/pubmed]` has the first of both
        ("convert", "./tools", "tools/convert.py"),
        ("net-fit", ".", "lib/__init__.py"),
        ("gat-main", "./examples/gat", "examples/gat/main.py"),
    ]
    assert all(task.check.status is CheckStatus.ACCEPTED for task in mined.tasks)
    first, second, either, convert, net, _ = mined.tasks
    assert first.code == "python train.py --lr 0.1 --data cora --out ./runs"
    assert second.code == "python train.py --epochs 10 --data cora"  # the choice that the parser named
    assert "cora/pubmed" not in either.code
    assert convert.code == "python convert.py --src ./data --to out.bin"
    assert net.code == "from lib import Net\nnet = Net(dim=3)\nnet.fit(epochs=2)"
    assert net.block.segment[0] <= line_of("from lib import Net") and net.block.lines[0] == line_of("net = Net(dim=3)")
    assert (first.block.headings, first.block.prose) == (("Tool", "Training"), "Train on Cora:")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("pip install -r", "installs"),
        ("tensorboard", "serves"),
        ("while True", "waits"),
        ("RUN_ID", "gap"),
        ("a.yaml.yaml", "gap"),
        ("for lr in", "control-flow"),
        ("--lr 0.2", "same-form"),
        ("--learning-rate", "unknown-argument"),
        ("byhand.py", "undecided: reads-argv-by-hand"),
        ("missing.py", "no-such-program"),
        ("from lib import", "only-shows"),
        ("unknown", "fragment"),
        ("wide =", "needs-files"),  # an example without its last lines is another one
        ("import json", "not-of-the-repository"),
        ("lr: 0.1", "other-language"),
        ("--lr 0.7", "deprecated"),
    ],
)
async def test_everything_else_has_its_reason(mined: Mined, text: str, reason: str) -> None:
    assert reason_at(mined, text) == reason


async def test_the_same_code_is_asked_once(mined: Mined) -> None:
    (again,) = [each for each in mined.decisions if each.reason == "same-code"]
    assert again.subject == "examples/gat/README.md:7" and "examples/gat/README.md:4" in again.why


async def test_what_the_page_says_wrongly_is_a_finding(mined: Mined) -> None:
    wrong = {each.reason: each.why for each in mined.decisions if each.reason in WRONG}
    assert set(wrong) == {"unknown-argument", "no-such-program"}
    assert "--learning-rate" in wrong["unknown-argument"]


async def test_the_most_different_ones_are_kept(repository: Path, checker: Checker) -> None:
    found = [block for page in select(repository).pages for block in blocks(page)]
    few = await mine(repository, found, checker, most=3, workers=1)
    again = await mine(repository, found, checker, most=3, workers=2)
    assert [task.program for task in few.tasks] == ["train.py", "lib/__init__.py", "examples/gat/main.py"]
    assert [task.code for task in few.tasks] == [task.code for task in again.tasks]
    assert few.decisions == again.decisions
    assert "enough" in {each.reason for each in few.decisions}


class Fixed(Asker):
    """Answers every question with the same object; none where it has not the form that is asked for."""

    def __init__(self, answer: object) -> None:
        super().__init__(get_model("mockllm/model", memoize=False))
        self.answer = answer

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        try:
            return answer.model_validate(self.answer)
        except ValidationError:
            return None


async def test_a_model_chooses_and_names_but_adds_nothing(repository: Path, checker: Checker) -> None:
    found = [block for page in select(repository).pages for block in blocks(page)]
    choices = [{"number": 1, "name": "train-gnn"}, {"number": 5, "name": "No Name!"}, {"number": 99, "name": "x"}]
    chosen = await mine(repository, found, checker, asker=Fixed({"tasks": choices}))
    assert [task.name for task in chosen.tasks] == ["train-gnn", "net-fit"]
    refused = [each for each in chosen.decisions if each.reason == "model"]
    assert "number 99" in {each.subject for each in refused}


async def test_without_an_answer_of_the_model_rules_hold(repository: Path, checker: Checker, mined: Mined) -> None:
    found = [block for page in select(repository).pages for block in blocks(page)]
    chosen = await mine(repository, found, checker, asker=Fixed("I would rather not."))
    assert [task.name for task in chosen.tasks] == [task.name for task in mined.tasks]


class Broken(Checker):
    async def check(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        raise SandboxUnavailableError("no jail can be had")


async def test_a_machine_that_fails_is_no_decision(repository: Path) -> None:
    found = [block for page in select(repository).pages for block in blocks(page)]
    async with Broken(CheckTarget(CheckEnv(repository))) as checker:
        with pytest.raises(SandboxUnavailableError):
            await mine(repository, found, checker)


async def test_nothing_to_mine(repository: Path, checker: Checker) -> None:
    assert await mine(repository, [], checker) == Mined((), ())


@pytest.mark.parametrize(
    ("page", "folder", "words", "wanted"),
    [
        ("README.md", "", ("python", "train.py"), ["."]),
        ("README.md", "tool", ("python", "train.py"), ["."]),  # the clone's own name
        ("README.md", "tool/tools", ("python", "convert.py"), ["tools"]),
        ("README.md", "", ("python", "convert.py"), ["tools"]),  # somewhere else, and only there
        ("examples/gat/README.md", "", ("python", "main.py"), ["examples/gat"]),
        ("examples/gat/README.md", "", ("python", "examples/gat/main.py"), ["."]),
        ("examples/gat/README.md", "../../..", ("python", "train.py"), ["."]),
        ("README.md", "/", ("python", "nothing.py"), ["."]),
        ("README.md", "", ("python", "-m", "tools.convert"), ["."]),
        ("README.md", "", ("python", "-m", "json.tool"), []),
        ("README.md", "", ("fairseq-train", "x"), []),
    ],
)
async def test_where_a_command_may_run(
    repository: Path, page: str, folder: str, words: tuple[str, ...], wanted: list[str]
) -> None:
    assert WorkingDirs(repository).of_command(page, folder, words) == wanted


@pytest.mark.parametrize(
    ("prose", "first"),
    [
        ("Cd to 'Train/code', run the following scripts.", "Train/code"),
        ("Cd to '/Train/code/' and run.", "Train/code"),
        ("Train/codes has others, as has my/Train/code.", "Test/code"),
        ("Run the following scripts.", "Test/code"),
    ],
)
def test_a_folder_that_the_section_names_comes_first(prose: str, first: str) -> None:
    """Both of RCAN's folders have a `main.py`, and its trainings were checked in that of the tests."""
    assert named_first(["Test/code", "Train/code"], prose)[0] == first


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (("lib/__init__.py", "setup.py"), "."),
        (("src/lib/__init__.py", "pyproject.toml"), "src"),
        (("python/lib/__init__.py", "python/setup.py", "train.py"), "python"),
        (("b/lib/__init__.py", "b/lib/x.py", "b/setup.py", "a/cli/__init__.py", "a/setup.py"), "b"),
        (("train.py",), "."),
    ],
)
async def test_what_an_installation_puts_on_the_path(tmp_path: Path, files: tuple[str, ...], wanted: str) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert installed(tmp_path) == wanted
    assert roots_of(CheckTarget(CheckEnv(tmp_path), {"PYTHONPATH": f"/workspace/{wanted}:/elsewhere"})) == (wanted,)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('export PYTHONPATH="$PYTHONPATH:$PWD"', "."),
        ("export PYTHONPATH=$PYTHONPATH:`pwd`:`pwd`/slim", "."),
        ("PYTHONPATH=./src python train.py", "src"),
        ("export PYTHONPATH=$(pwd)/src:$PYTHONPATH", "src"),
        ("export PYTHONPATH=./gone", "src"),
        ("export PYTHONPATH=/home/me/src", "src"),
    ],
)
def test_a_documented_path_is_taken_before_what_an_installation_would_do(
    tmp_path: Path, line: str, wanted: str
) -> None:
    """wise-ft imports `src.models`, and its README has the user add the root: no command of it was followed."""
    (tmp_path / "src/models").mkdir(parents=True)
    (tmp_path / "src/models/__init__.py").write_text("")
    (tmp_path / "setup.py").write_text("setup(package_dir={'': 'src'})\n")
    (tmp_path / "README.md").write_text(f"Then:\n```\n{line}\n```\n")
    assert installed(tmp_path) == wanted


async def test_a_snippet_of_many_lines_is_a_program_to_read(repository: Path, checker: Checker) -> None:
    code = "from lib import Net\n" + "\n".join(f"net{at} = Net(dim={at})" for at in range(MOST_LINES_OF_CODE))
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "python", code)
    found = await mine(repository, [block], checker)
    assert [each.reason for each in found.decisions] == ["too-many-lines"]


def test_a_page_is_read_as_a_whole(tmp_path: Path) -> None:
    """Variables of other blocks are known, and a label that is wrong hides no command."""
    for file in ("train.py", "sample.py"):
        (tmp_path / file).write_text("print(1)\n")

    def block(line: int, code: str, language: Literal["shell", ""] = "shell") -> CodeBlock:
        return CodeBlock("README.md", (line, line), (line, line), (), "", language, code)

    found = [
        block(1, 'SAMPLE="--steps 250 --many 4"'),
        block(2, "python sample.py $SAMPLE $MODEL"),
        block(3, 'MODEL="--size 64"'),
        block(4, "# what a fence calls YAML\npython train.py lr=1", ""),
        block(5, "train: python", ""),
        block(6, "(cd /tmp && tar xf a.tgz)\nfor f in *; do prlimit $f; done"),
        block(7, "python train.py --help"),
    ]
    wanted, decisions = _wanted(found, WorkingDirs(tmp_path))
    assert [each.code for each in wanted] == [
        "python sample.py --steps 250 --many 4 --size 64",
        "python train.py lr=1",
    ]
    shown = 'MODEL="--size 64"\nSAMPLE="--steps 250 --many 4"\npython sample.py $SAMPLE $MODEL'
    assert wanted[0].block.code == shown  # an instruction need not repeat what another block of the page sets
    assert {(each.subject, each.reason) for each in decisions if each.subject > "README.md:4"} == {
        ("README.md:5", "other-language"),
        ("README.md:6", "housekeeping"),
        ("README.md:6", "not-of-the-repository"),
        ("README.md:7", "help"),
    }


def test_a_page_that_starts_programs_from_the_root_means_the_roots_own(tmp_path: Path) -> None:
    """`python train.py` of `segment/tutorial.md` became `segment/train.py`, which has no such data."""
    for file in ("train.py", "segment/train.py", "segment/predict.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("print(1)\n")
    places = WorkingDirs(tmp_path)
    page, command = "segment/tutorial.md", ("python", "train.py")
    assert places.of_command(page, "", command) == ["segment", "."]
    places.learn([CodeBlock(page, (1, 1), (1, 1), (), "", "shell", "python segment/predict.py --a 1")])
    assert places.of_command(page, "", command) == [".", "segment"]
    assert places.of_command("segment/README.md", "", command) == ["segment", "."]


async def test_what_the_section_does_not_show_makes_no_task(checker: Checker, tmp_path: Path) -> None:
    """`--batch_size` of a program with fire stood neither in its page nor in a line of a parser."""
    text = "# Tool\n\n```\npython tool.py\n```\n"
    repository = tmp_path / "tiny"
    repository.mkdir()
    (repository / "README.md").write_text(text)
    (repository / "tool.py").write_text("print(1)\n")
    block = CodeBlock("README.md", (4, 4), (1, 5), ("Tool",), "", "shell", "python tool.py")
    started = Invocation(CheckStatus.ACCEPTED, program="tool.py", argv=("--size", "2"), given=("size",))
    task = DraftTask(
        "tool", block, "shell", ".", "python tool.py", "tool.py", Check(CheckStatus.ACCEPTED, invocations=(started,))
    )
    argument = DraftArgument("size", "size", "size", "--size", {"2": ("2",), "4": ("4",)})
    draft = RecipeDraft(task, (argument,), "python tool.py --size {{ size }}\n")
    built = RepositoryBuild(RepositorySource("tiny", repository))
    assert await recipes(built, tmp_path / "suite", [draft], checker, BuildOptions(), lambda *_: None) == []
    last = built.decisions["instructions"][-1]
    assert (last.reason, "--size" in last.why) == ("not-sufficient", True)
    assert not list((tmp_path / "suite").rglob("*.yaml"))


def test_a_script_that_lacks_something_is_a_program_of_the_repository(tmp_path: Path) -> None:
    """`bash train.sh` was not counted as a documented command because the script calls `fairseq-train`."""
    (tmp_path / "train.sh").write_text("fairseq-train --lr 1\n")
    places = WorkingDirs(tmp_path)
    check = Check(CheckStatus.REJECTED, "no-such-program", "fairseq-train: command not found")

    def reason(code: str) -> str:
        block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", code)
        return refused(CheckRequest(block, "shell", code, (".",)), ".", check, places).reason

    assert (reason("bash train.sh 1"), reason("bash other.sh 1")) == ("no-such-file", "no-such-program")
    (tmp_path / "get.sh").write_text("# bash get.sh NAME\nwget https://host.org/$1.zip\nunzip $1.zip\n")
    cut = Check(CheckStatus.UNDECIDED, "cannot-follow", "it depends on `wget`")
    for name, wanted in (("get", "downloads"), ("train", "undecided: cannot-follow")):
        block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", f"bash {name}.sh a")
        assert refused(CheckRequest(block, "shell", block.code, (".",)), ".", cut, places).reason == wanted
    with (tmp_path / "huge.sh").open("wb") as file:  # it ended the whole build
        file.truncate(200_000_000)
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "bash huge.sh a")
    assert refused(CheckRequest(block, "shell", block.code, (".",)), ".", cut, places).reason.startswith("undecided")
    check = replace(check, message="./train.sh: permission denied, the file is not executable")
    assert reason("./train.sh 1") == "not-executable"
    (tmp_path / ".gitmodules").write_text('[submodule "fairseq"]\n\tpath = fairseq\n')
    check = Check(CheckStatus.REJECTED, "no-such-file", "there is no /workspace/fairseq/fairseq_cli/train.py in .")
    assert reason("bash train.sh 1") == "not-fetched"


def test_settings_without_dashes_make_other_forms() -> None:
    """Hydra's `-m model.lr=1,2` was held to be like `-m experiment=a`, and was not asked."""

    def form(code: str) -> tuple[str, ...]:
        return form_of(
            CheckRequest(CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", code), "shell", code, (".",))
        )

    assert form("python train.py -m model.lr=1,2") != form("python train.py -m experiment=a")
    assert form("python train.py trainer=ddp trainer.devices=4") != form("python train.py trainer=ddp")
    assert form("python train.py trainer=cpu") == form("python train.py trainer=gpu")


async def test_of_one_form_the_plainest_is_asked(tmp_path: Path) -> None:
    """The task was the one with `<model name>`, for which a value was made up, or the one behind `curl`."""
    (tmp_path / "tool.py").write_text(PARSE + "p.add_argument('--model')\np.add_argument('--in')\np.parse_args()\n")
    lines = (
        "cat a | python tool.py --model b --in -",
        "python tool.py --model <model name> --in x",
        "python tool.py --model base --in x",
    )
    found = [
        CodeBlock("README.md", (at, at), (at, at), (), "Much is said of it. " * (9 - at), "shell", line)
        for at, line in enumerate(lines, 1)
    ]
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        mined = await mine(tmp_path, found, checker)
    assert [(task.code, task.filled) for task in mined.tasks] == [(lines[2], 0)]


async def test_of_one_form_the_one_that_gives_more_than_a_subcommand_is_asked(tmp_path: Path) -> None:
    """In `tool build` nothing can vary, in `tool build a.yaml` the file."""
    (tmp_path / "tool.py").write_text(
        PARSE + "p.add_argument('what')\np.add_argument('file', nargs='?')\np.parse_args()\n"
    )
    lines = ("python tool.py build", "python tool.py build a.yaml")
    found = [
        CodeBlock("README.md", (at, at), (at, at), (), "Much is said of it. " * (9 - at), "shell", line)
        for at, line in enumerate(lines, 1)
    ]
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        mined = await mine(tmp_path, found, checker)
    assert [task.code for task in mined.tasks] == [lines[1]]


@pytest.mark.parametrize(
    ("said", "reason"), [("Then:", "no-such-program"), ("After `cd lib/tools`:", "no-such-module")]
)
async def test_a_program_that_only_its_name_leads_to_is_none_of_the_page(
    tmp_path: Path, said: str, reason: str
) -> None:
    """Old pages start programs that the repository no longer has; another of that name was tried."""
    (tmp_path / "lib/tools").mkdir(parents=True)
    (tmp_path / "lib/tools/demo.py").write_text(
        f"import lib.absent\n{PARSE}p.add_argument('--indir')\np.parse_args()\n"
    )
    (tmp_path / "lib/__init__.py").write_text("")
    line = "python demo.py --indir x"
    (tmp_path / "README.md").write_text(f"{said}\n\n```\n{line}\n```\n")
    found = CodeBlock("README.md", (4, 4), (1, 5), (), said, "shell", line)
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        mined = await mine(tmp_path, [found], checker)
    assert [str(each.reason) for each in mined.decisions] == [reason], mined.decisions


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("train.sh a.yaml 8", "bash train.sh a.yaml 8"),
        ("LR=1 ./train.sh a.yaml", "LR=1 bash ./train.sh a.yaml"),
        ("./tool.py --cfg a", "python ./tool.py --cfg a"),
        ("./tool.py", ""),  # the name of a file
        ("missing.sh a", ""),
    ],
)
async def test_a_script_that_cannot_be_started_by_its_name_is_started_by_its_interpreter(
    tmp_path: Path, line: str, code: str
) -> None:
    """All of poolformer's detection and segmentation pages write `dist_train.sh CONFIG 8`."""
    (tmp_path / "tool.py").write_text(PARSE + "p.add_argument('--cfg')\np.parse_args()\n")
    (tmp_path / "train.sh").write_text("python tool.py --cfg $1\n")
    found = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", line)
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        mined = await mine(tmp_path, [found], checker)
    assert [task.code for task in mined.tasks] == ([code] if code else [])


@pytest.mark.parametrize("defaults", ["_C.OUTPUT_DIR = '.'\n", ""])
def test_a_setting_in_capitals_is_no_placeholder(tmp_path: Path, defaults: str) -> None:
    (tmp_path / "tool.py").write_text(PARSE + "p.parse_args()\n")
    (tmp_path / "defaults.py").write_text(defaults)
    found = CodeBlock("README.md", (4, 4), (1, 5), (), "", "shell", "python tool.py --cfg a.yaml OUTPUT_DIR runs")
    wanted, decisions = _wanted([found], WorkingDirs(tmp_path))
    assert (len(wanted), [each.reason for each in decisions]) == ((1, []) if defaults else (0, ["gap"]))


async def test_a_configuration_that_the_repository_has_no_longer(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/a.yaml").write_text("")
    (tmp_path / "tool.py").write_text(PARSE + "p.add_argument('cfg')\np.parse_args()\n")
    found = CodeBlock("README.md", (4, 4), (1, 5), (), "", "shell", "python tool.py configs/b.yaml")
    async with Checker(CheckTarget(CheckEnv(tmp_path, preload=())), workers=1) as checker:
        mined = await mine(tmp_path, [found], checker)
    assert [each.reason for each in mined.decisions] == ["no-such-configuration"]


async def test_a_task_without_instructions_says_why(checker: Checker, tmp_path: Path) -> None:
    """Each ended as `no-recipe`, with a message of the validator."""
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "")
    task = DraftTask("foo", block, "python", ".", "", "foo.py", Check(CheckStatus.ACCEPTED))
    built = RepositoryBuild(RepositorySource("tiny", tmp_path))
    assert await recipes(built, tmp_path, [RecipeDraft(task, (), "")], checker, BuildOptions(), lambda *_: None) == []
    assert [each.reason for each in built.decisions["instructions"]] == ["too-few-values"]


def test_the_reason_why_there_is_no_task_is_that_of_commands_that_count() -> None:
    """Of nanoGPT it said `not-of-the-repository 24` first, which are no commands of it."""
    foreign = BuildDecision("tasks", "README.md:1", False, "not-of-the-repository", "it starts nothing")
    ours = BuildDecision("tasks", "README.md:9", False, "undecided: reads-argv-by-hand", "the program reads sys.argv")
    said = _why_none({"readmes": [BuildDecision("readmes", "README.md", True)], "tasks": [foreign, foreign, ours]})
    assert said.endswith("used: undecided: reads-argv-by-hand 1 (README.md:9: the program reads sys.argv)")
    kept = {step: [BuildDecision(step, "a", True)] for step in ("readmes", "tasks")}
    open_place = BuildDecision("arguments", "scale", False, "placeholder", "nothing says a value for n")
    said = _why_none({**kept, "arguments": [BuildDecision("arguments", "scale.lr", True), open_place]})
    assert said == "no argument can be used: placeholder 1"


def test_of_two_tasks_that_nothing_tells_apart_one_is_kept(tmp_path: Path) -> None:
    """A command that gives one setting more was dropped as well, and with it what had its form."""
    block = CodeBlock("README.md", (1, 1), (1, 1), ("Tool", "Graph classification"), "", "shell", "")
    first, second, third = (
        RecipeDraft(
            DraftTask(name, block, "shell", ".", "python main.py --a 1", "main.py", Check(CheckStatus.ACCEPTED)),
            (DraftArgument("a", "a", "a", "--a", {"1": ("1",), "2": ("2",)}),),
            "",
            fixed=fixed,
        )
        for name, fixed in (
            ("main", ()),
            ("main_2", (DraftArgument("b", "b", "b", "--b", {"3": ("3",)}),)),
            ("main_3", ()),
        )
    )
    built = RepositoryBuild(RepositorySource("tiny", tmp_path))
    assert _told_apart([first, second, third], built) == [first, second]
    assert [(each.subject, each.reason) for each in built.decisions["instructions"]] == [("main_3", "same-words")]


async def test_another_command_of_a_form_takes_the_place_of_one_that_cannot_be_said(tmp_path: Path) -> None:
    """With one command that its section does not tell from another, all commands of its form were left out."""
    repository = tmp_path / "tool"
    (repository / "docs").mkdir(parents=True)
    (repository / "train.py").write_text(FILES["train.py"])
    own, other = (f"CUDA_VISIBLE_DEVICES={n} python train.py --lr 0.1 --data cora" for n in (0, 1))
    prose = "Much is said here of the training of networks, and of all that belongs to it."
    (repository / "README.md").write_text(f"# Tool\n## One\n{prose}\n```\n{own}\n{other}\n```\n")
    page = "# Other\n## Pubmed\n```\npython train.py --lr 0.2 --data pubmed\n```\n"
    (repository / "docs" / "other.md").write_text(page)
    built = RepositoryBuild(RepositorySource("tool", repository))
    async with Servers(2) as servers:
        await recipes_of(built, tmp_path / "suite", BuildOptions(workers=1), servers, lambda *_: None)
    documented_as = {each.subject: each for each in built.decisions["tasks"]}
    spare = next(each for subject, each in documented_as.items() if subject.startswith("docs/other.md"))
    assert spare.kept and spare.why in {recipe.task for recipe in built.recipes}
    first_one = next(each for each in documented_as.values() if each.code == own)
    assert (first_one.reason, first_one.like) == ("same-form", spare.subject)


def test_of_two_commands_of_one_line_only_the_replaced_one_changes() -> None:
    block = CodeBlock("README.md", (4, 4), (4, 4), (), "", "shell", "")
    task = DraftTask("train", block, "shell", ".", "python a.py", "a.py", Check(CheckStatus.ACCEPTED))
    spare = replace(task, block=replace(block, page="other.md"))  # the same code elsewhere
    beside = BuildDecision("tasks", "README.md:4", True, "", "test", "python b.py", "shell")
    before = [
        BuildDecision("tasks", "README.md:4", True, "", "train", "python a.py", "shell"),
        beside,
        BuildDecision("tasks", "other.md:4", False, "same-form", "", "python a.py", "shell", "README.md:4"),
    ]
    left, same, kept = in_place_of(before, task, spare)
    assert (left.kept, left.reason, left.like) == (False, "same-form", "other.md:4")
    assert same == beside
    assert (kept.kept, kept.why) == (True, "train")


def test_python_with_paths_of_its_pages_folder_runs_there(tmp_path: Path) -> None:
    """A notebook's `../data/a.csv` was read from the repository's root, where nothing leads to it."""
    for name in ("lib/__init__.py", "docs/demo.ipynb", "data/a.csv", "setup.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    places = WorkingDirs(tmp_path)
    assert places.of_python("docs/demo.ipynb", {"lib"}, {"../data/a.csv", "text"}) == ["docs"]
    assert places.of_python("docs/demo.ipynb", {"lib"}, {"data/a.csv", "text"}) == ["."]
    assert places.of_python("docs/demo.ipynb", {"numpy"}, {"../data/a.csv"}) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("python tool.py --src INPUT_FILE --to OUTPUT_DIR", "python tool.py --src ./data/input.txt --to ./outputs"),
        (
            "python tool.py --src AUDIO_FILE --to OUTPUT_WAV_FILE",
            "python tool.py --src ./data/audio.wav --to ./outputs",
        ),
        ("python tool.py --src CONFIG_FILE --to a", ""),  # only a configuration that is there can be read
    ],
)
def test_the_name_of_a_place_gets_a_path_that_a_model_betters(tmp_path: Path, line: str, code: str) -> None:
    (tmp_path / "tool.py").write_text(PARSE + "p.add_argument('--src')\np.add_argument('--to')\np.parse_args()\n")
    found = CodeBlock("README.md", (4, 4), (1, 5), (), "", "shell", line)
    wanted, _ = _wanted([found], WorkingDirs(tmp_path), by_model=True)
    assert [each.code for each in wanted] == ([code] if code else [])
    assert not _wanted([found], WorkingDirs(tmp_path))[0]
