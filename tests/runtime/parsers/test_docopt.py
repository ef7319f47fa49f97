from tests.runtime.parsers.children import answers, reasons

PROGRAM = "docopt_program.py"


def test_values_and_what_was_given() -> None:
    [answer] = answers("docopt", PROGRAM, "train d --lr=3 -v")
    found = answer["configuration"]
    assert (found["train"], found["DATA"], found["--lr"], found["-v"]) == (True, "d", "3", True)
    assert set(answer["given"]) == {"train", "DATA", "--lr", "-v"}
    assert "--lr" not in answers("docopt", PROGRAM, "train d")[0]["given"]


def test_refusals() -> None:
    wanted = {
        "": "usage",
        "train d --foo": "unknown-argument",
        "test d --lr=3": "usage",
        "train d --lr": "wrong-number-of-values",
        "--help": "help",
        "nope": "usage",
    }
    assert dict(zip(wanted, reasons("docopt", PROGRAM, *wanted), strict=True)) == wanted
