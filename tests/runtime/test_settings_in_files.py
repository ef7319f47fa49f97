from pathlib import Path

import pytest

from mlbench.interface_check.runtime.config_files import settings


def test_words_with_dots_become_destinations() -> None:
    given = {
        "options": ["run.lr=1e-4", "run.amp=True", "run.name='x'"],
        "opts": ["SOLVER.LR", "0.2", "STEPS", "[1, 2]"],
    }
    assert settings(given, ("options", "opts")) == {
        "options:run.lr": 0.0001,
        "options:run.amp": True,
        "options:run.name": "x",
        "opts:SOLVER.LR": 0.2,
        "opts:STEPS": [1, 2],
    }


@pytest.mark.parametrize("words", [["a.txt", "b.txt"], ["cora", "citeseer"], ["a", "1"], ["x=1", "y"], []])
def test_other_lists_are_left_alone(words: list[str]) -> None:
    assert settings({"names": words}, ("names",)) == {}


def test_a_file_that_an_option_names_becomes_destinations(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"run": {"lr": 0.1}, "sizes": [1, 2]}')
    found = settings({"config": str(tmp_path / "a.json"), "other": "nowhere.json"})
    assert found == {"config:run.lr": 0.1, "config:sizes": [1, 2]}
