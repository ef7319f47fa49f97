from tests.runtime.parsers.children import answers, events, reasons

PROGRAM = "absl_program.py"


def test_typed_values_and_what_was_given() -> None:
    line = "--data x --steps 5 --lr 1e-3 --nofast --sizes 3,4 --k 1 --k 2 --model b"
    [answer] = answers("absl", PROGRAM, line)
    assert answer["status"] == "accepted"
    assert answer["parser"] == "absl.flags"
    assert answer["configuration"] == {
        "momentum": 0.9,
        "steps": 5,
        "lr": 0.001,
        "model": "b",
        "fast": False,
        "sizes": ["3", "4"],
        "k": [1, 2],
        "data": "x",
    }
    assert set(answer["given"]) == {"data", "steps", "lr", "fast", "sizes", "k", "model"}
    assert answer["options"]["data"] == ["--data", "-d"]
    assert answer["options"]["fast"] == ["--fast", "--nofast"]


def test_absl_s_own_flags_are_shown_only_where_given() -> None:
    [answer] = answers("absl", PROGRAM, "--data x --verbosity 1")
    assert answer["configuration"]["verbosity"] == 1
    assert "logtostderr" not in answer["configuration"]


def test_refusals() -> None:
    wanted = {
        "": "missing-argument",
        "--data x --foo": "unknown-argument",
        "--data x --steps abc": "invalid-type",
        "--data x --steps -4": "invalid-choice",
        "--data x --model z": "invalid-choice",
        "--data x --fast=maybe": "invalid-type",
        "--data": "wrong-number-of-values",
        "--help": "help",
        "--data x extra": "usage",
        "--data x --only_check_args": "exits-early",
        "--flagfile nowhere": "no-such-file",
        "--data x --undefok=foo --foo": "accepted",
    }
    assert dict(zip(wanted, reasons("absl", PROGRAM, *wanted), strict=True)) == wanted


def test_the_message_is_the_library_s_own() -> None:
    assert answers("absl", PROGRAM, "--data x --foo")[0]["message"] == "Unknown command line flag 'foo'"
    assert answers("absl", PROGRAM, "--data x extra")[0]["message"] == "too many words"


def test_the_last_of_two_parses_counts() -> None:
    [answer] = answers("absl", "absl_by_hand.py", "--steps 4 --late y")
    assert answer["configuration"] == {"steps": 4, "late": "y"}
    assert reasons("absl", "absl_by_hand.py", "--lost") == ["unknown-argument"]


def test_the_program_goes_on_in_ride() -> None:
    [accepted], [refused] = events("absl", PROGRAM, "--data x", mode="ride"), events("absl", PROGRAM, "", mode="ride")
    assert [accepted[0]["status"], accepted[-1]] == ["accepted", "went on"]
    assert [each["status"] for each in refused] == ["rejected"]


def test_a_configuration_in_a_file_is_its_settings() -> None:
    """vision_transformer: `KeyError: 'config'`, since the library that defines the flag was a stub."""
    line = "--config=config_of_flags.py:tiny --config.lr=1e-3 --workdir x"
    [answer] = answers("absl", "config_flags_program.py", line)
    assert answer["status"] == "accepted"
    assert answer["configuration"]["config"] == {"lr": 0.001, "batch": 8, "model": {"width": 16}}
    assert set(answer["given"]) == {"config", "config.lr", "workdir"}


def test_what_a_configuration_in_a_file_refuses() -> None:
    wanted = {
        "--config=config_of_flags.py:tiny --config.nosuch=1": "unknown-argument",
        "--config=config_of_flags.py:tiny --config.batch=many": "invalid-type",
        "--config=nosuch.py": "no-such-file",
        "--config=config_of_flags.py:huge": "usage",
    }
    assert reasons("absl", "config_flags_program.py", *wanted) == list(wanted.values())
