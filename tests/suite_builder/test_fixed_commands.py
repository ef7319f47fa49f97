"""Commands in which nothing varies become the rows of one task: which of them does what is asked?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from inspect_ai.model import get_model
from pydantic import BaseModel

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.records import Candidate, UsageError
from mlbench.scoring.reference_calls import Expectations
from mlbench.suite_builder.build_state import BuildOptions
from mlbench.suite_builder.checks.suite_check import check
from mlbench.suite_builder.left_out import documented
from mlbench.suite_builder.llm import Asker
from mlbench.suite_builder.pipeline import build
from mlbench.suite_builder.source import Wanted, obtain_all
from mlbench.suites.recipes import load_recipe
from mlbench.suites.suite import load_suite

pytestmark = pytest.mark.anyio
A = TypeVar("A", bound=BaseModel)
README = """# Heath

## Data

Convert the annotations of COCO:

```
python data/prepare_coco.py
```

Convert the annotations of ADE20K:

```
python data/prepare_ade.py
```

Make the index of both:

```
bash data/index.sh
```

The old converter:

```
python data/prepare_old.py
```
"""
FILES = {
    "README.md": README,
    "data/prepare_coco.py": "import json\njson.load(open('raw/coco.json'))\n",
    "data/prepare_ade.py": "import json\njson.load(open('raw/ade.json'))\n",
    "data/prepare_old.py": "import json\njson.load(open('raw/old.json'))\nprint(nothing)\n",
    "data/index.sh": "python data/index.py --all\n",
    "data/index.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--all', action='store_true')\n"
    "print(p.parse_args())\n",
}
PHRASES = {
    "coco": "convert the annotations of COCO for training",
    "ade": "convert the annotations of ADE20K for training",
    "index": "make the index of all converted annotations",
}
PURPOSES = {
    "name": "prepare the data",
    "commands": [
        {"command": 1, "does": PHRASES["coco"]},
        {"command": 2, "does": PHRASES["ade"]},
        {"command": 3, "does": PHRASES["index"]},
        {"command": 4, "broken": "data/prepare_old.py:3 reads an undefined name"},
        {"command": 9, "does": "do what no command of this page does"},
    ],
}
WORDS = [
    "How do I {{ program }}?",
    "I want to {{ program }}. Which command does it?",
    "Please {{ program }} with the repository's own program.",
    "Our next step is to {{ program }}; what has to be run for that?",
    "Give me the line from the README that I run to {{ program }}.",
    "As a user of this repository I would like to {{ program }}, from its root folder.",
    "Which program of this project lets me {{ program }} without any arguments?",
    "To get going, I have to {{ program }} before anything else.",
]
GOOD = {"verdict": "good"}


class Answering(Asker):
    """A model with these answers by the name of their type, in turn; the last one for ever."""

    def __init__(self, **answers: Sequence[dict[str, Any]]) -> None:
        super().__init__(get_model("mockllm/model", memoize=False))
        self.answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[tuple[str, str]] = []

    async def ask(self, instructions: str, text: str, answer: type[A], about: str = "") -> A | None:
        self.asked.append((answer.__name__, text))
        left = self.answers.get(answer.__name__)
        return answer.model_validate(left.pop(0) if len(left) > 1 else left[0]) if left else None


async def built(
    folder: Path, files: dict[str, str] = FILES, most: int = 20, **answers: Sequence[dict[str, Any]]
) -> tuple[Any, Path]:
    """The finished build of a repository, and the folder of its suite."""
    for name, text in files.items():
        (folder / "heath" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "heath" / name).write_text(text)
    asker = Answering(
        **{"ToldCommands": [PURPOSES], "Written": [{"templates": WORDS}], "TaskReading": [GOOD], **answers}
    )
    sources, _ = obtain_all([str(folder / "heath")], folder / "suite", Wanted())
    (done,) = (await build(sources, folder / "suite", BuildOptions(asker=asker, most=most))).parts
    return done, folder / "suite"


async def test_a_row_asks_for_one_of_the_programs(tmp_path: Path) -> None:
    done, suite = await built(tmp_path)
    (file,) = (suite / "recipes/heath").glob("*.yaml")
    recipe = load_recipe(file)
    assert file.stem == "prepare-the-data"
    assert recipe.reference.strip() == "{{ launcher }} {{ program }}"
    assert {span.file for span in recipe.segment} == {"README.md"}
    assert recipe.arguments["program"] == {
        PHRASES["coco"]: ("data/prepare_coco.py",),
        PHRASES["ade"]: ("data/prepare_ade.py",),
        PHRASES["index"]: ("data/index.sh",),
    }
    references = {recipe.render_reference(each) for each in recipe.combinations()}
    assert references == {"python data/prepare_coco.py", "python data/prepare_ade.py", "bash data/index.sh"}
    found = {each.code.strip(): (each.task, each.reason) for each in documented(done.decisions)}
    assert found["python data/prepare_ade.py"] == ("prepare-the-data", "")
    assert found["bash data/index.sh"] == ("prepare-the-data", "")
    assert found["python data/prepare_old.py"] == ("", "fails")


ANSWERS = [
    ("python data/prepare_coco.py", "right"),
    ("cd data && cd .. && python ./data/prepare_coco.py", "right"),
    ("python data/prepare_ade.py", "wrong-program"),
    ("bash data/index.sh", "wrong-program"),
    ("python data/prepare_coco.py && python data/prepare_ade.py", "stray"),
    ("cd data && python prepare_coco.py", "unasked-change"),
    ("python data/prepare_coco.py --split train", "refused"),
    ("cat data/prepare_coco.py", "refused"),
    # a program without arguments may read whatever the answer writes itself, but not what it downloads or links to
    ("mkdir -p raw && echo '[]' > raw/coco.json && python data/prepare_coco.py", "unasked-change"),
    ("echo '[]' > /tmp/a; mkdir raw; ln -s /tmp/a raw/coco.json; python data/prepare_coco.py", "unasked-change"),
    ("wget https://example.org/coco.zip && unzip coco.zip -d raw; python data/prepare_coco.py", "right"),
    ("ln -s /data/coco raw; python data/prepare_coco.py > log.txt", "right"),
    ("python data/prepare_coco.py 2>&1 | tee log.txt", "right"),
    ("python data/prepare_coco.py; echo done > done.txt", "right"),
    ("python -c \"print('data/prepare_coco.py')\"", "refused"),
]


async def test_only_the_command_that_was_asked_for_is_right(tmp_path: Path) -> None:
    _, folder = await built(tmp_path)
    suite = load_suite(str(folder))
    samples = [each for split in suite.samples().values() for each in split]
    (sample, *_) = [each for each in samples if "prepare_coco" in each.output]
    async with Checker(CheckTarget(CheckEnv(tmp_path / "heath")), workers=2) as checker:
        expectation = await Expectations(suite).of(sample, checker)
        assert not expectation.fault
        found = []
        for code, _ in ANSWERS:
            checked = await checker.check(Candidate(code, "shell", "answer"), sample.path)
            accepted = checked.status == "accepted"
            found.append(expectation.compare(checked.invocations).reason.value if accepted else "refused")
    assert found == [wanted for _, wanted in ANSWERS]


LOGGED = "mkdir -p log\npython data/prepare_coco.py > log/$(date +%N).log\n"
WRITTEN = {
    "bash run.sh": None,
    "bash run.sh > out.txt": None,
    "python data/prepare_coco.py": None,
    "mkdir -p raw; echo '[]' > raw/coco.json; bash run.sh": ["/workspace/raw/coco.json"],
}


async def test_what_a_script_of_the_repository_writes_is_no_change(tmp_path: Path) -> None:
    """Its log has the time in its name, so a right answer differed from itself."""
    for name, text in {**FILES, "run.sh": LOGGED}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    async with Checker(CheckTarget(CheckEnv(tmp_path)), workers=1) as checker:
        for code, written in WRITTEN.items():
            checked = await checker.check(Candidate(code, "shell", "answer"), ".")
            assert (checked.status, checked.invocations[-1].configuration.get("files written before")) == (
                "accepted", written
            )  # fmt: skip


async def test_a_phrase_that_the_reader_refuses_is_taken_out_without_another_question(tmp_path: Path) -> None:
    fault = {"variable": "program", "value": PHRASES["index"], "problem": "it starts another program"}
    done, suite = await built(tmp_path, TaskReading=[{"verdict": "good", "faults": [fault]}, GOOD])
    (file,) = (suite / "recipes/heath").glob("*.yaml")
    assert [*load_recipe(file).arguments["program"]] == [PHRASES["coco"], PHRASES["ade"]]
    found = {each.code.strip(): (each.task, each.reason) for each in documented(done.decisions)}
    assert found["python data/prepare_coco.py"] == ("prepare-the-data", "")
    assert found["bash data/index.sh"] == ("", "model-refused")


async def test_a_choice_that_is_written_anew_covers_its_commands(tmp_path: Path) -> None:
    """The commands were listed as taken out, because they were then said in other words."""
    said = ["turn the raw COCO files into labels", "turn the raw ADE20K files into labels"]
    other = {**PURPOSES, "commands": [{"command": at, "does": each} for at, each in enumerate(said, 1)]}
    first = {"verdict": "poor", "problem": "clumsy"}
    done, _ = await built(tmp_path, TaskReading=[first, GOOD], ToldCommands=[PURPOSES, other])
    found = {each.code.strip(): (each.task, each.reason) for each in documented(done.decisions)}
    assert found["python data/prepare_coco.py"] == ("prepare-the-data", "")
    assert found["bash data/index.sh"] == ("", "model-refused")


async def test_a_choice_that_the_reader_refuses_covers_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no recipe can be used: model-refused .*trivial"):
        await built(tmp_path, TaskReading=[{"verdict": "poor", "problem": "trivial"}])
    table = (tmp_path / "suite/steps/left_out.md").read_text()
    assert "0 of 3 documented commands" in table  # the fourth fails


async def test_a_choice_that_has_no_place_is_left_out_as_one(tmp_path: Path) -> None:
    """Its commands were counted as if nothing could vary in them."""
    page = README + "\n## Train\n\nTrain a model:\n\n```\npython data/index.py --all --lr 0.1\n```\n"
    parser = FILES["data/index.py"].replace("print(", "p.add_argument('--lr', type=float)\nprint(")
    settings = {"settings": [{"name": "lr", "values": ["0.2", "0.3"]}]}
    words = [text.replace("{{ program }}", "index everything at a learning rate of {{ lr }}") for text in WORDS]
    written = [{"templates": words}]
    files = {**FILES, "README.md": page, "data/index.py": parser}
    done, _ = await built(tmp_path, files, most=1, Settings=[settings], Written=written)
    found = {each.code.strip(): (each.task, each.reason) for each in documented(done.decisions)}
    assert found["python data/prepare_coco.py"] == found["bash data/index.sh"] == ("", "enough")


async def test_commands_of_several_folders_go_there_first(tmp_path: Path) -> None:
    """Of two programs with one name, only the first can be a value."""
    page = "# Heath\n\n## {0}\n\nTo {0}:\n\n```\ncd {1}\npython {2}.py\n```\n"
    files = {
        "README.md": "".join(
            page.format(*each)
            for each in (
                ("embed", "examples/one", "main"),
                ("cluster", "examples/two", "group"),
                ("draw", "two", "main"),
            )
        ),
        "examples/one/main.py": "open('a/x.txt')\n",
        "examples/two/group.py": "open('a/y.txt')\n",
        "two/main.py": "open('a/z.txt')\n",
    }
    doing = ["embed the texts of the corpus", "cluster the texts of the corpus", "draw the clusters of the corpus"]
    purposes = {"name": "examples", "commands": [{"command": at, "does": each} for at, each in enumerate(doing, 1)]}
    _, suite = await built(tmp_path, files, ToldCommands=[purposes])
    (file,) = (suite / "recipes/heath").glob("*.yaml")
    recipe = load_recipe(file)
    references = [recipe.render_reference(each) for each in recipe.combinations()]
    assert references == ["cd examples/one && python main.py", "cd examples/two && python group.py"]


async def test_two_scripts_of_one_program_are_told_apart(tmp_path: Path) -> None:
    page = "# Heath\n\n## {0}\n\n```\nbash {0}.sh\n```\n"
    parser = FILES["data/index.py"].replace("'--all', action='store_true'", "'--model'")
    files = {
        "README.md": page.format("small") + page.format("large"),
        "train.py": parser,
        "small.sh": "python train.py --model small\n",
        "large.sh": "python train.py --model large\n",
    }
    doing = ["train the small model of the paper", "train the large model of the paper"]
    told = {"name": "train", "commands": [{"command": at, "does": each} for at, each in enumerate(doing, 1)]}
    _, folder = await built(tmp_path, files, ToldCommands=[told], Settings=[{"settings": [], "nothing": "none"}])
    suite = load_suite(str(folder))
    samples = [each for split in suite.samples().values() for each in split]
    (sample, *_) = [each for each in samples if "large.sh" in each.output]
    async with Checker(CheckTarget(CheckEnv(tmp_path / "heath")), workers=2) as checker:
        expectation = await Expectations(suite).of(sample, checker)
        answers = {"bash large.sh": "right", "bash small.sh": "wrong-value", "python train.py --model large": "right"}
        for code, wanted in answers.items():
            checked = await checker.check(Candidate(code, "shell", "answer"), sample.path)
            assert expectation.compare(checked.invocations).reason.value == wanted


async def test_one_such_command_alone_is_a_task_of_one_row(tmp_path: Path) -> None:
    page = "# Heath\n\nRun it:\n\n```\npython main.py\ntensorboard --logdir runs\n```\n"
    files = {"README.md": page, "main.py": "open('a/x.txt')\n"}
    told = {"name": "run it", "commands": [{"command": 1, "does": "embed the texts of the corpus"}]}
    done, folder = await built(tmp_path, files, ToldCommands=[told])
    found = {each.code.strip(): (each.task, each.reason) for each in documented(done.decisions)}
    assert found["python main.py"] == ("run-it", "")
    rows = [each for split in load_suite(str(folder)).samples().values() for each in split]
    assert [each.output for each in rows] == ["python main.py"]


async def test_an_example_of_one_such_command_can_only_be_copied(tmp_path: Path) -> None:
    files = {"README.md": "# Heath\n\nRun it:\n\n```\ncd .\npython main.py\n```\n", "main.py": "open('a/x.txt')\n"}
    told = {"name": "run it", "commands": [{"command": 1, "does": "embed the texts of the corpus"}]}
    with pytest.raises(UsageError, match="too-few-arguments 1 .main: it gives no setting of its own"):
        await built(tmp_path, files, ToldCommands=[told])


PARSER = (
    "import argparse\np = argparse.ArgumentParser()\np.add_argument('--stage', type=int)\n"
    "p.add_argument('--images', nargs='+')\nprint(p.parse_args())\n"
)
STAGES = {
    "README.md": "# Heath\n\n## Features\n\n```\npython run.py --stage 1\n```\n\n"
    "## Train\n\n```\npython run.py \\\n  --stage 2\n```\n\n"
    "## Draw\n\n```\nMARK='{{ a }}' python run.py --stage 3 --images maps/*.jpg\nls\n```\n",
    "run.py": PARSER,
    "maps/one.jpg": "",
}
"""The last one has a pattern, and a variable that reads like a template."""
STAGED = [
    {"name": "stages", "commands": [{"command": 1, "does": "make the features of the corpus"},
                                    {"command": 2, "does": "train a model on the features"}]},
    {"name": "draw", "commands": [{"command": 1, "does": "draw the maps/*.jpg on the first GPU"}]},
]  # fmt: skip


async def test_commands_in_which_nothing_varies_are_asked_for_as_they_stand(tmp_path: Path) -> None:
    """Those that have no plain words are tasks of their own, as the page has them."""
    nothing = [{"settings": [], "nothing": "the stages are the recipe's"}]
    done, folder = await built(tmp_path, STAGES, ToldCommands=STAGED, Settings=nothing)
    found = {each.code.strip(): each.task for each in documented(done.decisions)}
    assert [*filter(None, found.values())] == ["stages", "stages", "draw"]
    rows = {each.output: each for split in load_suite(str(folder)).samples().values() for each in split}
    drawn = "MARK='{{ a }}' python run.py --stage 3 --images maps/*.jpg"
    assert {*rows} == {"python run.py --stage 1", "python run.py --stage 2", drawn}
    suite = load_suite(str(folder))
    assert check(suite) == []
    async with Checker(CheckTarget(CheckEnv(tmp_path / "heath")), workers=2) as checker:
        expectation = await Expectations(suite).of(rows["python run.py --stage 2"], checker)
        answers = {
            "python run.py --stage=2": "right",
            "python run.py --stage 1": "wrong-value",
            "python run.py": "wrong-value",
            drawn: "wrong-value",
        }
        for code, wanted in answers.items():
            checked = await checker.check(Candidate(code, "shell", "answer"), ".")
            assert expectation.compare(checked.invocations).reason.value == wanted


async def test_a_command_whose_variables_a_reader_took_out_is_asked_for_as_it_stands(tmp_path: Path) -> None:
    files = {"README.md": "# Heath\n\nTrain:\n\n```\nls\npython run.py --stage 2\n```\n", "run.py": PARSER}
    fault = {"variable": "stage", "problem": "the other stages are not there"}
    words = [text.replace("{{ program }}", "run the stage {{ stage }} of the recipe") for text in WORDS]
    done, folder = await built(
        tmp_path,
        files,
        Settings=[{"settings": [{"name": "stage", "values": ["1", "2", "3"]}]}, {"settings": [], "nothing": "stages"}],
        Written=[{"templates": words}, {"templates": WORDS}],
        TaskReading=[{"verdict": "good", "faults": [fault]}, GOOD],
        ToldCommands=[{"name": "train", "commands": [{"command": 1, "does": "train a model on the features"}]}],
    )
    (found,) = [each.task for each in documented(done.decisions) if each.task]
    (file,) = (folder / "recipes/heath").glob("*.yaml")
    assert file.stem == found
    assert load_recipe(file).arguments == {"program": {"train a model on the features": ("run.py", "--stage", "2")}}
