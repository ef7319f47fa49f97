from tests.runtime.parsers.children import answers, reasons


def test_options_that_only_a_missing_library_could_add_are_undecided() -> None:
    lines = ("--width 3", "--width 3 --gpus 1", "--width x")
    found = reasons("argparse pytorch_lightning", "lightning_program.py", *lines, stub="pytorch_lightning")
    assert found == ["accepted", "stub", "invalid-type"]


def test_a_library_that_is_not_here_cannot_be_followed() -> None:
    [answer] = answers("tyro", "tyro_program.py", "--width 3", stub="tyro")
    assert (answer["status"], answer["reason"]) == ("undecided", "cannot-follow")


def test_configargparse_stands_on_argparse() -> None:
    good, bad = answers("argparse configargparse", "configargparse_program.py", "--config typed.txt", "--rate x")
    assert good["configuration"]["rate"] == 0.5
    assert bad["reason"] == "invalid-type"
    found = reasons("argparse configargparse", "configargparse_program.py", "", "--rate 1 --depth 2", "--help")
    assert found == ["missing-argument", "unknown-argument", "help"]


def test_options_of_fairseq_that_is_not_here_cannot_be_followed() -> None:
    """The parser's result was a stub, and what the program made of it was reported as the program's failure."""
    [answer] = answers("fairseq", "fairseq_program.py", "data --path x", stub="fairseq")
    assert (answer["status"], answer["reason"]) == ("undecided", "cannot-follow")
