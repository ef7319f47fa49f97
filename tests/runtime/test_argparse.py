"""argparse, optparse, getopt and `sys.argv` in the real server: what is accepted, as what, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.runtime.asking import Ask, asking, write

TYPES = """
import argparse, enum, json, pathlib
class Size(enum.Enum):
    small = "small"
    large = "large"
def str2bool(text):
    if text.lower() in ("yes", "true", "1"):
        return True
    if text.lower() in ("no", "false", "0"):
        return False
    raise argparse.ArgumentTypeError("Boolean value expected.")
p = argparse.ArgumentParser()
p.add_argument("data")
p.add_argument("--lower", type=str.lower)
p.add_argument("--list", type=eval)
p.add_argument("--flag", type=str2bool, default=False)
p.add_argument("--file", type=argparse.FileType("r"))
p.add_argument("--log", type=argparse.FileType("w"))
p.add_argument("--json", type=json.loads)
p.add_argument("--path", type=pathlib.Path)
p.add_argument("--size", type=Size, default=Size.small)
p.add_argument("--double", type=lambda text: 2 * int(text))
p.add_argument("--key", type=lambda text: {"a": 1}[text])
p.add_argument("--lr", "-l", type=float, default=0.1)
p.add_argument("--layers", type=int, nargs="+")
p.add_argument("--pair", nargs=2)
p.add_argument("--mode", choices=["train", "test"], default="train")
p.add_argument("--alpha_one"), p.add_argument("--alpha_two")
g = p.add_mutually_exclusive_group()
g.add_argument("--on", action="store_true"), g.add_argument("--off", action="store_true")
args = p.parse_args()
"""

COMMANDS = """
import argparse
parent = argparse.ArgumentParser(add_help=False)
parent.add_argument("--seed", type=int, default=1)
p = argparse.ArgumentParser()
sub = p.add_subparsers(dest="command", required=True)
train = sub.add_parser("train", parents=[parent])
train.add_argument("--epochs", type=int, required=True)
sub.add_parser("test")
p.parse_args()
"""

KNOWN = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("--a", type=int, default=0)
args, rest = p.parse_known_args()
"""

SUBMITS = (
    KNOWN.replace("--a", "--gpus").replace(", type=int, default=0", "")
    + """
commands = [word for word in rest if word != "--"]
print(commands)
"""
)

CHAIN = """
import argparse
first = argparse.ArgumentParser(add_help=False)
first.add_argument("--config", default="x")
known, rest = first.parse_known_args()
second = argparse.ArgumentParser()
second.add_argument("--lr", type=float, default=0.1)
second.parse_args(rest)
"""

OPTIONS = """
import argparse, os
class Base:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        self.ready = False
    def initialize(self):
        self.parser.add_argument("--name", default="a")
        self.parser.add_argument("--size", type=int, default=8)
        self.ready = True
    def parse(self):
        if not self.ready:
            self.initialize()
        opt, _ = self.parser.parse_known_args()
        if opt.name == "b":
            self.parser.add_argument("--extra", type=int, default=3)
        opt = self.parser.parse_args()
        if opt.size > 16:
            self.parser.error("--size must be at most 16")
        opt.loaded = True
        os.makedirs(os.path.join("checkpoints", opt.name))
        return opt
if __name__ == "__main__":
    Base().parse()
"""

FILES = {
    "program.py": TYPES,
    "commands.py": COMMANDS,
    "known.py": KNOWN,
    "submits.py": SUBMITS,
    "runs.py": SUBMITS + "import subprocess\nsubprocess.run(commands)\n",
    "chain.py": CHAIN,
    "options.py": OPTIONS,
    "sliced.py": "import sys, argparse\ndef main(argv):\n    p = argparse.ArgumentParser()\n"
    "    p.add_argument('--n', type=int)\n    p.parse_args(argv)\nmain(sys.argv[1:])\n",
    "bad.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('-a')\n"
    "p.add_argument('-a')\np.parse_args()\n",
    "later.py": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=1)\n"
    "args = p.parse_args()\nif args.n < 0:\n    raise ValueError('n is negative')\nprint(1)\n",
    "opt.py": "from optparse import OptionParser\np = OptionParser()\n"
    "p.add_option('-n', '--number', type='int', default=3)\n"
    "p.add_option('--kind', choices=['a', 'b'])\nopts, args = p.parse_args()\n",
    "get.py": "import getopt, sys\nopts, rest = getopt.getopt(sys.argv[1:], 'n:v', ['name='])\n",
    "hand.py": "import sys\nname, count = sys.argv[1], int(sys.argv[2])\nprint(name)\n",
    "loop.py": "import sys\nfor word in sys.argv[1:]:\n    print(word)\nprint(sys.argv[1], sys.argv[2])\n",
    "rows.py": "import sys\nsource = sys.argv[1]\ncount: int = int(sys.argv[2])\nprint(open('/nowhere/x'))\n",
    "tail.py": "import sys\nassert len(sys.argv) > 2\na, b = sys.argv[1:]\n",
    "passed.py": "import sys\ndef run(path, size): open(path)\n"
    "run(sys.argv[1], size=int(len(sys.argv) and sys.argv[2]))\n",
    "guard.py": "import argparse, sys\nif len(sys.argv) == 1:\n    sys.exit('no words')\n"
    "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.parse_args()\n",
    "text.txt": "text\n",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    with asking(write(tmp_path_factory.mktemp("argparse"), FILES)) as ask:
        yield ask


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("--lower ABC", "lower", "abc"),
        ("--list [1,2]", "list", [1, 2]),
        ("--flag yes", "flag", True),
        ("--file text.txt", "file", {"!": "file", "value": "text.txt"}),
        ('--json {"a":1.5}', "json", {"a": 1.5}),
        ("--path a/b", "path", {"!": "path", "value": "a/b"}),
        ("--size large", "size", {"!": "enum", "value": "__main__.Size.large"}),
        ("--double 4", "double", 8),
        ("--lr 1e-4", "lr", 0.0001),
        ("-l .5", "lr", 0.5),
        ("--lr inf", "lr", {"!": "float", "value": "inf"}),
        ("--layers 1 2", "layers", [1, 2]),
        ("--mo test", "mode", "test"),
    ],
)
def test_a_value_is_what_the_type_makes_of_it(ask: Ask, words: str, name: str, value: Any) -> None:
    answer = ask("program.py", "d", *words.split())
    assert (answer["status"], answer["configuration"][name]) == ("accepted", value)
    assert answer["given"] == ["data", name]


@pytest.mark.parametrize(
    ("words", "reason", "message"),
    [
        ("d --frob 1", "unknown-argument", "unrecognized arguments: --frob 1"),
        ("d --mode tset", "invalid-choice", "argument --mode: invalid choice: 'tset'"),
        ("d --lr fast", "invalid-type", "argument --lr/-l: invalid float value: 'fast'"),
        ("d --flag perhaps", "invalid-type", "argument --flag: Boolean value expected."),
        ("d --key b", "invalid-type", "KeyError: 'b'"),
        ("d --file none.py", "no-such-file", "argument --file: can't open 'none.py'"),
        ("", "missing-argument", "the following arguments are required: data"),
        ("d --alpha 1", "ambiguous-argument", "ambiguous option: --alpha could match --alpha_one, --alpha_two"),
        ("d --pair 1", "wrong-number-of-values", "argument --pair: expected 2 arguments"),
        ("d --lr", "wrong-number-of-values", "argument --lr/-l: expected one argument"),
        ("d --on --off", "conflicting-arguments", "argument --off: not allowed with argument --on"),
        ("-h", "help", "the program prints its help"),
    ],
)
def test_a_refusal_has_its_reason_and_the_parsers_own_words(ask: Ask, words: str, reason: str, message: str) -> None:
    answer = ask("program.py", *words.split())
    assert (answer["status"], answer["reason"], answer["parser"]) == ("rejected", reason, "argparse")
    assert answer["message"].startswith(message)


def test_given_and_default_are_told_apart_even_where_the_value_is_the_same(ask: Ask) -> None:
    given, default = ask("program.py", "d", "--lr", "0.1"), ask("program.py", "d")
    assert given["configuration"] == default["configuration"]
    assert (given["given"], default["given"]) == (["data", "lr"], ["data"])
    assert given["options"]["lr"] == ["--lr", "-l"]


def test_a_file_that_is_opened_for_writing_keeps_its_name(ask: Ask) -> None:
    assert ask("program.py", "d", "--log", "new.txt")["configuration"]["log"] == {"!": "file", "value": "new.txt"}


def test_sub_commands_and_parents(ask: Ask) -> None:
    answer = ask("commands.py", "train", "--epochs", "3")
    assert answer["configuration"] == {"command": "train", "epochs": 3, "seed": 1}
    assert answer["given"] == ["command", "epochs"]
    assert answer["options"]["seed"] == ["--seed"]
    assert ask("commands.py", "tarin")["reason"] == "invalid-choice"
    assert ask("commands.py", "train")["message"] == "the following arguments are required: --epochs"


def test_words_that_nobody_knows_are_named_unless_a_later_parser_takes_them(ask: Ask) -> None:
    assert ask("known.py", "--a", "1", "--b", "2")["ignored"] == ["--b", "2"]
    answer = ask("chain.py", "--config", "y", "--lr", "3")
    assert (answer["configuration"], answer["ignored"]) == ({"config": "y", "lr": 3.0}, [])
    assert ask("chain.py", "--lrr", "3")["reason"] == "unknown-argument"


def test_of_two_parses_the_last_counts(ask: Ask) -> None:
    answer = ask("options.py", "--name", "b", "--extra", "5")
    assert answer["status"] == "accepted"
    assert {"extra": 5, "name": "b", "size": 8}.items() <= answer["configuration"].items()
    assert ask("options.py", "--extra", "5")["reason"] == "unknown-argument"


def test_what_a_program_says_right_after_the_parse_counts(ask: Ask) -> None:
    answer = ask("options.py", "--size", "20")
    assert (answer["status"], answer["reason"], answer["message"]) == ("rejected", "usage", "--size must be at most 16")
    answer = ask("later.py", "--n", "-1")
    assert (answer["status"], answer["reason"]) == ("rejected", "raised")
    assert answer["message"] == "ValueError: n is negative (later.py:6)"


def test_a_parser_that_cannot_be_built_is_the_programs_fault(ask: Ask) -> None:
    answer = ask("bad.py", "-a", "1")
    assert (answer["status"], answer["reason"]) == ("broken", "conflicting-options")


def test_sliced_words_are_the_words(ask: Ask) -> None:
    assert [ask("sliced.py", "--n", word)["configuration"]["n"] for word in ("1", "2")] == [1, 2]


def test_words_that_the_program_looks_at_first(ask: Ask) -> None:
    assert [ask("guard.py", "--n", word)["configuration"]["n"] for word in ("1", "2")] == [1, 2]
    assert ask("guard.py")["reason"] == "exits-early"


def test_optparse(ask: Ask) -> None:
    answer = ask("opt.py", "-n", "4", "rest")
    assert answer["configuration"] == {"number": 4, "kind": None, "args": ["rest"]}
    assert (answer["given"], answer["options"]["number"]) == (["number", "args"], ["-n", "--number"])
    reasons = [ask("opt.py", *words)["reason"] for words in (["--frob"], ["-n", "x"], ["--kind", "c"], ["-n"], ["-h"])]
    assert reasons == ["unknown-argument", "invalid-type", "invalid-choice", "wrong-number-of-values", "help"]


@pytest.mark.parametrize("program", ["submits.py", "runs.py"])
def test_a_command_behind_two_dashes_is_one_setting(ask: Ask, program: str) -> None:
    """`python mason.py --gpus 8 -- python train.py --lr 1e-4` was undecided: its own code reads those words."""
    answer = ask(program, "--gpus", "8", "--", "python", "train.py", "--lr", "1e-4")
    assert (answer["status"], answer["ignored"]) == ("accepted", [])
    assert answer["configuration"] == {"gpus": "8", "--": ["python", "train.py", "--lr", "1e-4"]}
    assert answer["given"] == ["gpus", "--"]


def test_getopt(ask: Ask) -> None:
    answer = ask("get.py", "-n", "1", "--name=x", "rest")
    assert answer["configuration"] == {"n": "1", "name": "x", "args": ["rest"]}
    assert ask("get.py", "--nme", "x")["reason"] == "unknown-argument"
    assert ask("get.py", "-n")["reason"] == "wrong-number-of-values"


def test_words_read_by_hand_are_said_to_be(ask: Ask) -> None:
    answer = ask("loop.py", "x", "3")
    assert (answer["status"], answer["reason"], answer["parser"]) == ("undecided", "reads-argv-by-hand", "sys.argv")
    assert answer["configuration"] == {"1": "x", "2": "3"}


@pytest.mark.parametrize(
    ("program", "names"),
    [
        ("hand.py", ["name", "count"]),
        ("rows.py", ["source", "count"]),
        ("tail.py", ["a", "b"]),
        ("passed.py", ["path", "size"]),
    ],
)
def test_words_that_are_read_by_their_places_are_a_configuration(ask: Ask, program: str, names: list[str]) -> None:
    answer = ask(program, "x", "3")
    assert (answer["status"], answer["parser"], answer["given"]) == ("accepted", "sys.argv", names)
    assert list(answer["configuration"].values()) == ["x", "3"]
    answer = ask(program, "x", "3", "4")  # nothing tells what reads the last one
    assert answer["status"] != "accepted"


def test_a_word_that_is_read_by_hand_may_be_missing(ask: Ask) -> None:
    answer = ask("hand.py", "x")
    assert (answer["status"], answer["reason"]) == ("rejected", "missing-argument")
