"""Prompts: strictly rendered, everything in them that an answer needs, nothing of the answer."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from mlbench.prompts import settings
from mlbench.samples.suites import load_rows, load_suite
from mlbench.types import Sample, UsageError

SUITE = load_suite("pocket")
TEST_ROWS = load_rows("pocket")["full"]


def folder(row: Sample) -> Path:
    return SUITE.folder(SUITE.repository_of(row.github_id).name)


@pytest.mark.parametrize("setting", ["oracle", "readme"])
def test_every_prompt_holds_what_an_answer_needs(setting: settings.Setting) -> None:
    for row in TEST_ROWS:
        prompt = settings.render(row, folder(row), "thing", setting)
        for part in (row.instruction, f"`{row.path}`", row.prefix_code):
            assert part in prompt.user
        assert ("Python code" if row.kind == "python" else "bash script") in prompt.system
        assert row.output not in prompt.user


def test_oracle_shows_the_segment_with_its_path() -> None:
    for row in TEST_ROWS:
        (document,) = settings.oracle(row, folder(row))
        assert document.text == row.oracle.rstrip()
        assert row.oracle in (folder(row) / document.path).read_text()


def test_readme_shows_every_readme_the_root_first() -> None:
    row = next(row for row in TEST_ROWS if SUITE.repository_of(row.github_id).name == "lichen")
    documents = settings.readme(row, folder(row))
    on_disk = {file.relative_to(folder(row)).as_posix() for file in folder(row).rglob("README*")}
    assert {document.path for document in documents} == on_disk
    assert documents[0].path == "README.md"
    assert len(on_disk) > 3


def test_an_undefined_name_in_a_template_is_an_error() -> None:
    environment = jinja2.Environment(undefined=settings._template("user").environment.undefined)
    with pytest.raises(jinja2.UndefinedError):
        environment.from_string("{{ nosuch }}").render()


def test_unknown_setting_is_said() -> None:
    with pytest.raises(UsageError, match="no setting 'code'; there are: oracle, readme"):
        settings.known_setting("code")
