"""What the engineer does with what he is sent: a real shell, a small repository, no model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.scripted_agent.commands import command
from tests.scripted_agent.examples import Example, Where
from tests.scripted_agent.matching import assigned
from tests.scripted_agent.observations import TRY, Run, Turn, look, read, seen, write
from tests.scripted_agent.overrides import overrides_of, without
from tests.scripted_agent.policy import next_act
from tests.scripted_agent.programs import Knob, knobs_of_help, knobs_of_script
from tests.scripted_agent.python_code import program, signatures, vocabularies
from tests.scripted_agent.shell_loop import make_repository, shell, talk, task
from tests.scripted_agent.sources import knobs_of_source
from tests.scripted_agent.tasks import task_of
from tests.scripted_agent.words import tokens


@pytest.fixture
def weaver(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "weaver")


def test_it_finds_the_command_and_corrects_an_option_that_the_readme_has_wrong(weaver: Path) -> None:
    talked = talk(task(), shell(weaver))
    assert (weaver / "run.sh").read_text() == "cd loom\npython weave.py --pattern satin --epochs 12 --lr 0.25\n"
    assert 5 <= len(talked.commands) <= 8
    assert talked.last.calls[0].name == "submit"


def test_a_value_comes_from_the_instruction_and_not_from_a_table(weaver: Path) -> None:
    talk(task("Weave plain for 7 epochs, learning rate 2e-3."), shell(weaver))
    assert "--pattern plain --epochs 7 --lr 2e-3" in (weaver / "run.sh").read_text()


def test_python_code_stands_in_a_file_of_its_own(weaver: Path) -> None:
    talk(task("Make a green spool of length 30 and print it.", python=True), shell(weaver))
    assert (weaver / "run.sh").read_text() == "python solve.py\n"
    assert "Spool(length=30" in (weaver / "solve.py").read_text()


def test_what_is_missing_is_installed_and_the_program_asked_again(weaver: Path) -> None:
    run, installed = shell(weaver), []

    def lacking(command: str) -> str:
        if command.startswith("pip install"):
            installed.append(command)
            return ""
        if "weave.py --help" in command and not installed:
            return "Traceback (most recent call last):\nModuleNotFoundError: No module named 'absl'"
        return run(command)

    talked = talk(task(), lacking)
    assert installed == ["pip install -q absl-py"]
    assert sum("--help" in command for command in talked.commands) == 2
    assert "--epochs 12" in (weaver / "run.sh").read_text()


def test_a_package_that_cannot_be_had_is_not_asked_for_for_ever(weaver: Path) -> None:
    talked = talk(task(), lambda command: shell(weaver)(command) if "python" not in command else "No module named 'x'")
    assert sum(command.startswith("pip install") for command in talked.commands) <= 2
    assert talked.last.calls[0].name == "submit"


def test_without_documents_it_ends_with_words(tmp_path: Path) -> None:
    talked = talk(task(), shell(tmp_path))
    assert "no example" in talked.last.calls[0].arguments


def test_a_long_document_is_read_in_parts() -> None:
    turns = [Turn(look().command, "./README.md"), Turn(read("README.md").command, "x" * 9000)]
    turns.append(Turn(read("README.md", 9000).command, "the end"))
    assert seen(turns).texts["README.md"].endswith("xthe end")
    assert not seen(turns).partial


def test_a_part_that_lost_its_last_newline_is_read_on_from_its_last_line() -> None:
    """Claude Code strips what a command printed: a `\\` at the end of a part was taken for an escaped blank."""
    text = "train \\\n" * 1125 + "  --seed 3\n"
    first = read("README.md")
    turns = [Turn(look().command, "./README.md"), Turn(first.command, text[:9000].strip())]
    more = next_act(task_of(task()), seen(turns), runs=True)
    assert isinstance(more, Run)
    found = re.search(r"tail -c \+(\d+)", more.command)
    assert found
    turns.append(Turn(more.command, text[int(found[1]) - 1 :].strip()))
    assert seen(turns).texts["README.md"] == text.strip()


def test_tries_before_a_change_do_not_count_as_tries_of_it() -> None:
    turns = [Turn(write("run.sh", "a").command, ""), Turn(TRY, "failed"), Turn(write("run.sh", "b").command, "")]
    state = seen(turns)
    assert (state.written, state.tries, state.failures) == ({"run.sh": "b"}, (), ("failed",))


def test_the_help_of_argparse_is_read() -> None:
    text = """usage: p.py [-h] --data D [--mode {a,b}] [--layers N [N ...]] [--fast] {x,y}

positional arguments:
  {x,y}                 which one

options:
  -h, --help            show this help message and exit
  --data D              the data
                        and more of it
  -m {a,b}, --mode {a,b}
  --layers N [N ...]
  --fast                be fast (default: False)
"""
    knobs = {knob.name: knob for knob in knobs_of_help(text)}
    assert knobs["which"].choices == ("x", "y") and knobs["which"].place == 0
    assert knobs["data"].required and knobs["data"].words == "the data and more of it"
    assert knobs["mode"].choices == ("a", "b") and knobs["mode"].flags == ("-m", "--mode")
    assert knobs["layers"].many and knobs["fast"].switch and not knobs["mode"].required


def test_the_help_of_absl_is_read() -> None:
    text = (
        "p.py:\n  --[no]train: whether to\n    train\n    (default: 'false')\n  --kind: <a|b>: of what (default: 'a')\n"
    )
    train, kind = knobs_of_help(text)
    assert train.switch and train.words.strip() == "whether to train"
    assert kind.choices == ("a", "b") and kind.default == "a"


def test_a_shell_script_is_read() -> None:
    text = (
        'echo "usage: bash t.sh NAME SIZE"\ncase "$2" in\n  s|m) ;;\n  l) ;;\nesac\npython t.py --seed "${SEED:-1}"\n'
    )
    name, size, seed = knobs_of_script(text)
    assert (name.place, size.place, size.choices) == (0, 1, ("s", "m", "l"))
    assert seed.variable and seed.default == "1"


def test_a_source_is_parsed_and_never_run(tmp_path: Path) -> None:
    hostile = (
        f"open({str(tmp_path / 'x')!r}, 'w')\np.add_argument('--lr', type=float, default=0.1, choices=[0.1, 0.2])\n"
    )
    (knob,) = knobs_of_source(hostile)
    assert knob.default == "0.1" and knob.choices == ("0.1", "0.2")
    assert not list(tmp_path.iterdir())
    assert knobs_of_source("def (") == []


@pytest.mark.parametrize(
    "instruction, wanted",
    [
        ("Train for 5 epochs with 8 heads.", {"epochs": "5", "heads": "8"}),
        ("Sample 3, then 3 and then 5 neighbours; batch size 16.", {"fan_out": "3,3,5", "batch_size": "16"}),
        ("Run it without residual connections.", {"residual": "off"}),
        ("Use residual connections.", {"residual": "on"}),
        ("Hide a share of 12 percent of the pixels.", {"share": "0.12"}),
        ("Nothing to be set.", {}),
    ],
)
def test_values_go_to_the_options_that_they_belong_to(instruction: str, wanted: dict[str, str]) -> None:
    knobs = [
        Knob("epochs", ("--epochs",), "passes over the data"),
        Knob("heads", ("--heads",), "attention heads"),
        Knob("fan_out", ("--fan_out",), "sampled neighbours"),
        Knob("batch_size", ("--batch_size",)),
        Knob("residual", ("--residual",), switch=True),
        Knob("share", ("--share",), "share of pixels that is hidden", default="0.05"),
    ]
    shown = {knob.name: "" for knob in knobs} | {"fan_out": "2,3"}
    assert {knob.name: value for knob, value in assigned(knobs, instruction, "", shown).items()} == wanted


def test_python_code_gets_values_defaults_and_names_that_exist() -> None:
    known = signatures("class Layer:\n    def __init__(self, width, slots=8, seed=0):\n        pass\n")
    code = "layer = Layer(width=512, S=4, seed=9)\nprint(layer)\nprint(Layer(width=1))"
    assert program(code, known, "A layer of width 64 with 16 slots.", "", ()) == (
        "layer = Layer(width=64, slots=16, seed=0)\nprint(layer)"
    )


KEYS = """
| key           | default | meaning             |
|---------------|---------|---------------------|
| `run.epochs`  | 5 (10)  | passes over data    |
| `run.sampler` | `euler` | see below           |
| `net.width`   | 16      | units in each layer |

Samplers: `euler`, `heun`.

    python train.py --cfg a.yaml --options run.epochs=12 \\
        run.sampler=euler
    python other.py --cfg a.yaml net.depth=3
"""


@pytest.mark.parametrize(
    "code", ["python train.py --cfg a.yaml", "python train.py --cfg a.yaml --options run.epochs=12"]
)
def test_settings_are_written_as_keys_with_values(code: str) -> None:
    example = Example("shell", code, Where("README.md", 0, ""), program="train.py")
    knobs = [Knob("cfg", ("--cfg",), required=True), Knob("options", ("--options",), many=True)]
    line = command(example, knobs, "Train for 7 epochs at a width of 32 units with the Heun sampler.", KEYS, ())
    assert line == "python train.py --cfg a.yaml --options run.epochs=7 run.sampler=heun net.width=32"


def test_a_program_without_such_settings_is_left_alone() -> None:
    assert overrides_of("fit.py", "python fit.py --lr=1.5", KEYS).keys == ()
    assert without("python fit.py 'a  b'", overrides_of("fit.py", "", KEYS)) == "python fit.py 'a  b'"


def test_as_in_the_notes_keeps_the_values_of_the_example() -> None:
    example = Example("shell", "python run.py --depth 4 --width 8", Where("README.md", 0, ""), program="run.py")
    knobs = [Knob("depth", ("--depth",)), Knob("width", ("--width",))]
    assert command(example, knobs, "Run it with width 3.", "", ()) == "python run.py --width 3"
    assert (
        command(example, knobs, "Run it as in the notes, but width 3.", "", ()) == "python run.py --depth 4 --width 3"
    )


def test_a_short_name_may_be_said_in_words() -> None:
    knobs = [Knob("b1", ("--b1",), "decay"), Knob("b2", ("--b2",), "decay")]
    found = assigned(knobs, "The decay (beta one) is 0.4 and beta two 0.9.", "", {"b1": "", "b2": ""})
    assert {knob.name: value for knob, value in found.items()} == {"b1": "0.4", "b2": "0.9"}


def test_one_counts_only_before_what_it_counts() -> None:
    assert [token.number for token in tokens("one epoch") if token.number] == ["1"]
    assert not [token for token in tokens("the one in (beta one) and that one") if token.number]


def test_a_string_becomes_another_that_stands_with_it_in_the_source() -> None:
    source = (
        "WAYS = ('point', 'trimmed')\nAREA = {'shelf': 1, 'hammer': 2}\ndef fit(shape, n=4, way='point'):\n    pass\n"
    )
    found = program(
        "print(fit('shelf'))", signatures(source), "Fit a hammer, trimmed.", "", (), vocabulary=vocabularies(source)
    )
    assert found == "print(fit('hammer', way='trimmed'))"
