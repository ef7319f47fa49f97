"""Suites of one's own: what their files may say, and what is said when they say something else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from mlbench.records import RunError, UsageError
from mlbench.repositories.environments import console_scripts, environment
from mlbench.suites.recipes import OracleSegment, RecipeError, read_segment
from mlbench.suites.suite import forget, load_suite

GOOD = {
    "name": "mine",
    "version": 1,
    "seed": 1,
    "sizes": {"full": 4, "quarter": 2, "id_train": 0, "ood_train": 0},
    "code_share": 0,
    "repositories": [{"name": "toy", "github_id": 1, "domain": "toys", "role": "id"}],
}
TOY = GOOD["repositories"][0]  # type: ignore[index]


def write(folder: Path, **changes: object) -> str:
    (folder / "suite.yaml").write_text(yaml.safe_dump({**GOOD, **changes}))
    return str(folder)


def test_a_sound_suite_loads(tmp_path: Path) -> None:
    assert load_suite(write(tmp_path)).name == "mine"


def test_a_draft_ends_when_every_recipe_is_reviewed(tmp_path: Path) -> None:
    recipe = {
        "type": "Bash Script", "path": ".", "segment": {"file": "README.md", "lines": [1, 1]}, "program": "x.py",
        "arguments": {"a": ["1", "2"], "b": ["3", "4"]}, "reviewed": "",
        "instructions": [f"{n} {{{{ a }}}} {{{{ b }}}}" for n in "abcde"],
        "reference": "python x.py {{ a }} {{ b }}",
    }  # fmt: skip
    file = tmp_path / "recipes" / "toy" / "x.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump(recipe))
    assert load_suite(write(tmp_path, draft="needs review")).is_draft
    forget()
    assert not load_suite(write(tmp_path)).is_draft
    file.write_text(yaml.safe_dump({**recipe, "reviewed": "accepted"}))
    forget()
    assert not load_suite(write(tmp_path, draft="needs review")).is_draft


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "../outside"}, "name: String should match"),
        ({"repositories": [{**TOY, "name": "/etc"}]}, "repositories.0.name"),
        ({"repositories": [{**TOY, "installed": "../.."}]}, "leads out of the repository"),
        ({"repositories": [TOY, TOY]}, "two have the same name"),
        ({"repositories": [TOY, {**TOY, "name": "other"}]}, "two have the same github_id"),
        ({"sizes": {"full": 4}}, "needs exactly these splits"),
        ({"sizes": {"full": 4, "quarter": 5, "id_train": 0, "ood_train": 0}}, "quarter is a part of full"),
        (
            {"repositories": [{**TOY, "test": [3, 0]}]},
            "every `test` has to be given, and together they are the size of full",
        ),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_a_faulty_suite_is_said(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError) as error:
        load_suite(write(tmp_path, **changes))
    assert said in str(error.value)


def test_a_suite_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not YAML"):
        load_suite(str(tmp_path))


@pytest.mark.parametrize("file", ["/etc/passwd", "../secret", "docs/../../secret"])
def test_a_segment_stays_in_its_repository(tmp_path: Path, file: str) -> None:
    """What a segment points to is sent to a model: it must not be a file of the user's."""
    with pytest.raises(ValidationError, match="leads out of the repository"):
        OracleSegment(file=file, lines=(1, 1))
    (tmp_path / "repository").mkdir()
    (tmp_path / "secret").write_text("key\n")
    (tmp_path / "repository" / "README.md").symlink_to(tmp_path / "secret")
    with pytest.raises(RecipeError, match="a link that leads out"):
        read_segment(tmp_path / "repository", OracleSegment(file="README.md", lines=(1, 1)))


@pytest.mark.parametrize(
    "script",
    ['"./../../PWNED" = "x:y"', '"/tmp/PWNED" = "x:y"', 'loom = "x:y;import os"', '".." = "x:y"', 'loom = "x"'],
)
def test_a_console_script_cannot_be_a_file_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """A repository's pyproject.toml could write an executable anywhere on the host."""
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    (repository / "pyproject.toml").write_text(f'[project]\nname="x"\n[project.scripts]\n{script}\n')
    with pytest.raises(RunError, match="impossible console script"):
        console_scripts(repository)


def test_a_suite_without_requirements_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="it locks the candidates' environment"):
        environment(tmp_path / "requirements.txt")
