"""The table in the terminal: what it says, and that it fits."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from mlbench.cli.output import warnings_of
from mlbench.records import Completeness, Policy, UsageError
from mlbench.results.format import dollars, duration, percent
from mlbench.results.run_labels import labels
from mlbench.results.table import show
from tests.results.log_factory import attempt, mixed, rows, run


def _shown(runs: list, width: int = 80, policy: Policy = Policy.STRICT, terminal: bool = False) -> str:  # type: ignore[type-arg]
    file = StringIO()
    show(runs, policy, Console(file=file, width=width, force_terminal=terminal))
    return file.getvalue()


def test_one_run() -> None:
    text = _shown([mixed()])
    assert "pocket, policy strict" in text and "11/12 scored" in text
    headline = {line.split()[-3]: line.split() for line in text.splitlines() if "samples" in line and "/" in line}
    assert headline  # the counts of samples stand under every k
    assert "50.0 15-85" in text and "75.0 30-95" in text  # 2/4 and 3/4, Wilson
    assert "not scored" in text and "exit-0 (passed)" in text
    assert "lichen" in text and "Bash Script" in text
    assert "Pass@5" not in text  # only three attempts


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_it_fits_and_is_plain_without_a_terminal(width: int, number: int) -> None:
    runs = [run(mixed().attempts, each=3, model=f"provider/model-{i}") for i in range(number)]
    text = _shown(runs, width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    for i in range(number):
        assert f"provider/model-{i}" in text
    if width > 60:
        assert "…" not in text


def test_a_terminal_gets_colour_but_nobodys_escapes() -> None:
    text = _shown([run(mixed().attempts, each=3, model="evil\x1b[2Jmodel [red]x[/red]")], terminal=True)
    assert "\x1b[" in text and "\x1b[2J" not in text and "[red]x[/red]" in text


def test_nothing_but_errors_is_a_table_too() -> None:
    text = _shown([run(rows(["xx"]), each=2)])
    assert "0/2 scored" in text and "0/1" in text


def stopped(*reasons: str, answer: str = "python train.py") -> list:  # type: ignore[type-arg]
    """One attempt a row, each stopped for such a reason."""
    return [replace(attempt(row, 1, False, answer=answer), stop_reason=reason) for row, reason in enumerate(reasons)]


def test_answers_that_were_cut_are_counted_and_a_warning_says_what_to_do() -> None:
    cut = run(stopped("stop", "max_tokens", "model_length", "max_tokens", ""), each=1, max_tokens=256)
    text = _shown([cut])
    assert " 3/5 " in text and "cut: scored answers that ended at the token limit (--max-tokens)" in text
    assert list(warnings_of(cut)) == [
        "3 of 5 answers were cut at the token limit (--max-tokens 256): raise --max-tokens"
    ]
    assert "cut: scored" not in _shown([mixed()]) and not list(warnings_of(mixed()))


def test_a_model_that_only_thought_was_cut_and_a_refused_prompt_was_not() -> None:
    thought = run(stopped("max_tokens", answer=""), each=1)
    assert list(warnings_of(thought)) == ["1 of 1 answers were cut at the token limit: raise --max-tokens"]
    refused = run(stopped("model_length", answer=""), each=1)
    assert [line.split(":")[0] for line in warnings_of(refused)] == ["1 of 1 prompts exceeded the model's context"]


def test_runs_must_be_comparable() -> None:
    with pytest.raises(UsageError, match="different task versions"):
        _shown([mixed(), run(mixed().attempts, each=3, version="2")])
    with pytest.raises(UsageError, match="no runs"):
        _shown([])


def test_labels_tell_runs_apart() -> None:
    attempts = mixed().attempts
    runs = [
        run(attempts, each=3, model="a"),
        run(attempts, each=3, model="b"),
        run(attempts, each=3, model="b", setting="readme"),
        run(attempts, each=3, model="c"),
        run(attempts, each=3, model="c"),
    ]
    assert labels(runs) == ["a", "b oracle", "b readme", "c", "c (2)"]


def test_words() -> None:
    assert [percent(value) for value in (None, 0.0, 1.0, 0.9999, 0.0001, 0.6718)] == [
        "-",
        "0.0",
        "100.0",
        "99.9",
        "0.1",
        "67.2",
    ]
    assert [dollars(value) for value in (None, 0.0, 0.0012, 1.239)] == ["-", "$0.00", "$0.0012", "$1.24"]
    assert [duration(value) for value in (8.24, 185, 7620)] == ["8.2 s", "3 min 05 s", "2 h 07 min"]


def test_undocumented_samples_are_stated_and_shown_apart() -> None:
    """The headline counts them and says how many; both parts have a line of their own."""
    kinds = [Completeness.COMPLETE, Completeness.COMPLETE, Completeness.UNDOCUMENTED]
    attempts = [
        replace(attempt(row, 1, passed), completeness=kind)
        for row, (passed, kind) in enumerate(zip((True, False, False), kinds, strict=True))
    ]
    text = _shown([run(attempts, each=1)])
    assert "Run 1: of which 1 undocumented." in text
    part = text.partition("By documentation")[2]
    assert "50.0" in part.partition("complete")[2].splitlines()[0]
    assert " 0.0" in part.partition("undocumented")[2].splitlines()[0]
    assert "By documentation" not in _shown([run(attempts[:2], each=1)])


def test_a_draft_says_so_in_its_headline() -> None:
    """A suite that nobody has read looked like any other."""
    assert "pocket (draft: needs review), policy strict" in _shown(
        [run(mixed().attempts, each=3, draft="needs review")]
    )
