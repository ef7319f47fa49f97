from tests.runtime.parsers.children import answers, reasons

LIBRARIES = "argparse transformers"


def test_fields_are_destinations() -> None:
    line = "--name bert --layers 3 --size large --lr 1e-3 --no_pretrained --files a b --shuffle"
    [answer] = answers(LIBRARIES, "hf_program.py", line, stub="transformers")
    assert answer["configuration"] == {
        "name": "bert",
        "layers": 3,
        "size": "large",
        "norm": "batch",
        "pretrained": False,
        "rate": 0.001,
        "files": ["a", "b"],
        "split": "train",
        "shuffle": True,
    }
    assert set(answer["given"]) == {"name", "layers", "size", "rate", "pretrained", "files", "shuffle"}


def test_refusals() -> None:
    wanted = {
        "": "missing-argument",
        "--name x --layers many": "invalid-type",
        "--name x --size huge": "invalid-choice",
        "--name x --norm none": "invalid-choice",
        "--name x --split dev": "invalid-choice",
        "--name x --depth 3": "unknown-argument",
        "--name x --shuffle maybe": "invalid-type",
        "--help": "help",
    }
    assert dict(zip(wanted, reasons(LIBRARIES, "hf_program.py", *wanted, stub="transformers"), strict=True)) == wanted


def test_what_only_a_class_of_the_missing_library_could_define_is_undecided() -> None:
    """It was accepted, and so was every misspelt option. The driver has no tables; see test_missing_libraries.py."""
    lines = ("--name x", "--name x --output_dir y", "--name x --layers y")
    found = answers(LIBRARIES, "hf_open.py", *lines, stub="transformers")
    assert [each.get("reason", "") for each in found] == ["", "stub", "invalid-type"]
    assert "transformers.TrainingArguments" in found[1]["message"]


def test_simple_parsing_stands_on_argparse() -> None:
    [answer] = answers("argparse simple_parsing", "simple_parsing_program.py", "--name x --lr 1e-3 --seed 2")
    found = answer["configuration"]
    assert (found["options.name"], found["options.lr"], found["seed"]) == ("x", 0.001, 2)
    wanted = {
        "": "missing-argument",
        "--name x --lr y": "invalid-type",
        "--name x --depth 1": "unknown-argument",
        "--help": "help",
    }
    found_reasons = reasons("argparse simple_parsing", "simple_parsing_program.py", *wanted)
    assert dict(zip(wanted, found_reasons, strict=True)) == wanted
