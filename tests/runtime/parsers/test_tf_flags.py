from tests.runtime.parsers.children import answers, reasons


def test_app_run_ignores_unknown_flags_and_says_so() -> None:
    [answer] = answers("absl tensorflow", "tf_program.py", "--steps 3 --nofast --nope 1", stub="tensorflow")
    assert answer["configuration"] == {"steps": 3, "name": "x", "fast": False}
    assert answer["given"] == ["steps", "fast"]
    assert answer["ignored"] == ["--nope", "1"]


def test_app_run_refuses_wrong_values() -> None:
    found = reasons("absl tensorflow", "tf_program.py", "--steps x", "--name", "--help", "", stub="tensorflow")
    assert found == ["invalid-type", "wrong-number-of-values", "help", "accepted"]


def test_the_first_look_parses_and_is_strict() -> None:
    good, bad = answers("absl tensorflow", "tf_first_look.py", "--steps 3", "--foo 3", stub="tensorflow")
    assert good["configuration"] == {"steps": 3}
    assert bad["reason"] == "unknown-argument"
