from tests.runtime.parsers.children import answers, reasons


def test_typed_values_and_what_was_given() -> None:
    [answer] = answers("typer", "typer_program.py", "me --lr 1 --model b --fast")
    assert answer["configuration"] == {"name": "me", "lr": 1.0, "model": "b", "fast": True, "size": 3}
    assert answer["given"] == ["name", "lr", "model", "fast"]
    assert answer["options"]["fast"] == ["--fast", "--no-fast"]


def test_refusals() -> None:
    wanted = {
        "": "missing-argument",
        "me --lr x": "invalid-type",
        "me --size 1.5": "invalid-type",
        "me --model c": "invalid-choice",
        "me --foo": "unknown-argument",
        "me you": "unknown-argument",
        "--help": "help",
    }
    assert dict(zip(wanted, reasons("typer", "typer_program.py", *wanted), strict=True)) == wanted


def test_sub_commands() -> None:
    wanted = {
        "": "missing-argument",
        "train": "accepted",
        "test": "missing-argument",
        "data nope": "invalid-choice",
        "nope": "invalid-choice",
    }
    assert dict(zip(wanted, reasons("typer", "typer_group.py", *wanted), strict=True)) == wanted
    [answer] = answers("typer", "typer_group.py", "data get x")
    assert answer["configuration"] == {"data.get.path": "x", "command": "data get"}
