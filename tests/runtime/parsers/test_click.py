from tests.runtime.parsers.children import answers, events, reasons

PROGRAM = "click_program.py"


def test_typed_values_and_what_was_given() -> None:
    [answer] = answers("click", PROGRAM, "here --model a --lr 3 -n 3 -n 4 --slow")
    assert answer["parser"] == "click"
    assert answer["configuration"] == {"source": "here", "lr": 3.0, "size": [3, 4], "model": "a", "fast": False}
    assert set(answer["given"]) == {"source", "lr", "size", "model", "fast"}
    assert answer["options"]["fast"] == ["--fast", "--slow"]
    assert "source" not in answer["options"]
    assert answers("click", PROGRAM, "here --model a")[0]["given"] == ["source", "model"]


def test_refusals() -> None:
    wanted = {
        "": "missing-argument",
        "here": "missing-argument",
        "here --model z": "invalid-choice",
        "here --model a --lr x": "invalid-type",
        "here --model a -n 99": "invalid-choice",
        "here --model a --foo": "unknown-argument",
        "here there --model a": "unknown-argument",
        "here --model": "wrong-number-of-values",
        "--help": "help",
        "--version": "help",
        "here --model a --lr -1": "invalid-type",
    }
    assert dict(zip(wanted, reasons("click", PROGRAM, *wanted), strict=True)) == wanted


def test_a_sub_command_s_destinations_carry_its_name() -> None:
    [answer] = answers("click", "click_group.py", "--debug train --lr 3")
    assert answer["configuration"] == {"debug": True, "train.lr": 3.0, "command": "train"}
    assert answer["given"] == ["debug", "train.lr", "command"]


def test_refusals_of_groups() -> None:
    found = reasons("click", "click_group.py", "", "nope", "train --nope", "train --help", "test")
    assert found == ["help", "invalid-choice", "unknown-argument", "help", "accepted"]


def test_all_of_a_chain_is_parsed_before_any_of_it_runs() -> None:
    good, bad = answers("click", "click_chain.py", "train --lr 2 test", "train test --x")
    assert good["configuration"] == {"train.lr": 2.0, "command": ["train", "test"]}
    assert bad["reason"] == "unknown-argument"


def test_the_program_goes_on_in_ride() -> None:
    [accepted], [refused] = (
        events("click", PROGRAM, "here --model a", mode="ride"),
        events("click", PROGRAM, "", mode="ride"),
    )
    assert [accepted[0]["status"], accepted[-1]] == ["accepted", "went on"]
    assert [each["status"] for each in refused] == ["rejected"]
