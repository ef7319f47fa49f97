"""A program that is started without arguments, and reads none, is accepted; what could still read some is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.asking import Ask, asking, write

FILES = {
    "ends.py": "print('done')",
    "leaves.py": "import sys\nsys.exit(0)",
    "fails.py": "import sys\nsys.exit('no data')",
    "reads_data.py": "print(open('data/train.csv').read())",
    "reads_source.py": "import os\nprint(open('labels.csv').read())",
    "stubbed.py": "import torch\nnet = torch.nn.Linear(2, 2)\nprint(1 / int(net.weight.sum()))\n",
    "parses_later.py": "import argparse\nopen('data/train.csv')\nargparse.ArgumentParser().parse_args()",
    "parses_by_module.py": "from options import read\nopen('data/train.csv')\nread()",
    "options.py": "import argparse\ndef read(): return argparse.ArgumentParser().parse_args()",
    "talks_of_it.py": "NAMES = ['fire', 'click']\nopen('data/train.csv')",
    "reads_variable.py": "import os\nopen(os.environ['DATASETS'] + '/train.csv')",
    "undefined.py": "print(nothing)",
    "by_hand.py": "import json, sys\nhparams = {} if len(sys.argv) == 1 else json.loads(sys.argv[1])\nprint(hparams)",
    "wants_words.py": "import sys\nif len(sys.argv) < 2:\n    sys.exit('usage: wants_words.py FILE')",
    "takes_word.py": "import sys\nprint(sys.argv[1])",
    "by_hand_undefined.py": "import sys\nprint(len(sys.argv))\nprint(nothing)",
    "data/labels.csv": "a,b\n",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("bare"), FILES)) as ask:
        yield ask


@pytest.mark.parametrize("program", ["ends", "leaves", "reads_data", "stubbed", "talks_of_it", "by_hand"])
def test_a_program_that_reads_no_arguments_is_accepted_without_any(ask: Ask, program: str) -> None:
    answer = ask(f"{program}.py")
    assert (answer["status"], answer["parser"], answer["given"]) == ("accepted", "none", [])
    assert answer["configuration"] == {"working folder": "/workspace"}


@pytest.mark.parametrize(
    ("program", "status", "reason"),
    [
        ("fails", "rejected", "exits-early"),
        ("reads_source", "broken", "no-such-file"),  # it is there, in another folder
        ("parses_later", "broken", "no-such-file"),
        ("parses_by_module", "broken", "no-such-file"),
        ("undefined", "broken", "raised"),
        ("wants_words", "rejected", "exits-early"),
        ("takes_word", "rejected", "missing-argument"),
        ("by_hand_undefined", "broken", "raised"),
    ],
)
def test_one_that_fails_or_could_read_some_is_not(ask: Ask, program: str, status: str, reason: str) -> None:
    answer = ask(f"{program}.py")
    assert (answer["status"], answer["reason"]) == (status, reason)


@pytest.mark.parametrize("program", ["ends", "reads_data", "talks_of_it"])
def test_with_an_argument_nothing_tells_what_it_does(ask: Ask, program: str) -> None:
    assert ask(f"{program}.py", "--epochs", "3")["status"] != "accepted"


def test_the_rank_of_a_launcher_is_no_argument(ask: Ask) -> None:
    assert ask("ends.py", "--local_rank=0")["status"] == "accepted"


def test_the_note_names_what_the_user_must_have(ask: Ask) -> None:
    assert any("data/train.csv is not in the repository" in each for each in ask("reads_data.py")["unchecked"])


def test_a_variable_that_it_reads_is_a_setting(ask: Ask) -> None:
    answer = ask("reads_variable.py", env={"DATASETS": "/data", "OTHER": "1"})
    assert answer["configuration"] == {"working folder": "/workspace", "$DATASETS": "/data"}


def test_the_folder_that_it_runs_in_is_a_setting(ask: Ask) -> None:
    answer = ask("../reads_data.py", cwd="/workspace/data")
    assert answer["configuration"] == {"working folder": "/workspace/data"}


def test_the_words_of_one_question_do_not_count_for_the_next(ask: Ask) -> None:
    """The program may wait where the first question left it."""
    answers = [ask("talks_of_it.py", *words)["status"] for words in ((), ("--epochs", "3"), (), ("--epochs", "3"))]
    assert answers == ["accepted", "broken", "accepted", "broken"]
