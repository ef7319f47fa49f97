from tests.runtime.parsers.children import answers, reasons


def test_yacs() -> None:
    [answer] = answers("argparse yacs", "yacs_program.py", "--fast SOLVER.LR 0.2")
    found = answer["configuration"]
    assert (found["fast"], found["SOLVER.LR"], found["SOLVER.STEPS"]) == (True, 0.2, 3)
    assert {"fast", "SOLVER.LR"} <= set(answer["given"])
    wanted = {
        "": "accepted",
        "SOLVER.RATE 1": "unknown-argument",
        "SOLVER.STEPS many": "invalid-type",
        "SOLVER.LR": "wrong-number-of-values",
        "--slow": "unknown-argument",
    }
    assert dict(zip(wanted, reasons("argparse yacs", "yacs_program.py", *wanted), strict=True)) == wanted
