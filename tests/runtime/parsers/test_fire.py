from tests.runtime.parsers.children import answers, events, reasons


def test_values_as_fire_reads_them() -> None:
    by_name, by_place = answers("fire", "fire_function.py", "d --lr=1e-3 --model b --seed 3", "d .1 m 3 4 5")
    assert by_name["configuration"] == {
        "data": "d",
        "lr": 0.001,
        "model": "b",
        "sizes": [1, 2],
        "rest": [],
        "seed": 3,
    }
    assert set(by_name["given"]) == {"data", "lr", "model", "seed"}
    assert by_place["configuration"]["rest"] == [4, 5]
    assert by_place["configuration"]["sizes"] == 3


def test_refusals() -> None:
    found = reasons("fire", "fire_function.py", "", "d --foo 3", "--help")
    assert found == ["missing-argument", "unknown-argument", "help"]


def test_the_way_to_a_method() -> None:
    [answer] = answers("argparse fire", "fire_components.py", "trainer --lr 5 train --steps=4")
    assert answer["configuration"] == {"Trainer.lr": 5, "steps": 4, "width": 1, "command": "trainer train"}
    assert set(answer["given"]) == {"Trainer.lr", "steps", "command"}


def test_a_class_that_cannot_be_made_here_leaves_its_methods_checkable() -> None:
    [answer] = answers("fire", "fire_components.py", "needs-more train 4")
    assert answer["configuration"]["steps"] == 4
    assert any("no such device" in note for note in answer["unchecked"])


def test_refusals_on_the_way() -> None:
    wanted = {
        "": "help",
        "trainer train": "missing-argument",
        "trainer nope": "unknown-argument",
        "nope": "invalid-choice",
        "trainer train 3 --depth 3": "unknown-argument",
        "other --a 3": "accepted",
    }
    assert dict(zip(wanted, reasons("fire", "fire_components.py", *wanted), strict=True)) == wanted


def test_the_program_goes_on_in_ride() -> None:
    [accepted] = events("fire", "fire_function.py", "d", mode="ride")
    assert [accepted[0]["status"], accepted[-1]] == ["accepted", "went on"]
