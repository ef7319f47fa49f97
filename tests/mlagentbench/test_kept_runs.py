"""A long benchmark that was stopped goes on where it stopped, and runs again what depends on other files."""

from __future__ import annotations

from pathlib import Path

from benchmarks.kept_runs import KeptRuns, digest_of


def test_runs_are_found_again_by_their_key(tmp_path: Path) -> None:
    kept = KeptRuns("long", folder=tmp_path)
    kept.keep("imdb 1", {"score": 0.5})
    kept.keep("imdb 2", {"score": None})
    again = KeptRuns("long", folder=tmp_path)
    assert (again.get("imdb 1"), again.get("imdb 2"), again.get("imdb 3")) == ({"score": 0.5}, {"score": None}, None)
    assert KeptRuns("long", folder=tmp_path, again=True).get("imdb 1") is None


def test_a_line_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    KeptRuns("long", folder=tmp_path).keep("imdb 1", {"score": 0.5})
    with (tmp_path / "long.jsonl").open("a") as file:
        file.write('{"key": "imdb 2", "sc')
    kept = KeptRuns("long", folder=tmp_path)
    assert kept.get("imdb 1") and kept.get("imdb 2") is None
    kept.keep("imdb 2", {"score": 0.25})
    assert KeptRuns("long", folder=tmp_path).get("imdb 2") == {"score": 0.25}


def test_what_is_not_begun_in_time_is_counted(tmp_path: Path) -> None:
    kept = KeptRuns("long", minutes=0, folder=tmp_path)
    assert [kept.may_begin(), kept.may_begin(), kept.missing] == [False, False, 2]
    assert KeptRuns("long", folder=tmp_path).may_begin()


def test_a_key_changes_with_the_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/train.py").write_text("1")
    before = digest_of(tmp_path / "a")
    (tmp_path / "a/__pycache__").mkdir()
    (tmp_path / "a/__pycache__/x.pyc").write_text("x")
    assert digest_of(tmp_path / "a") == before
    (tmp_path / "a/train.py").write_text("2")
    assert digest_of(tmp_path / "a") != before
