"""Submissions that try to change what the page shows of others; none of them has been judged again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mlbench.results.leaderboard.site import write_site
from mlbench.results.leaderboard.submission import read_submissions
from tests.results.log_factory import rows, run
from tests.results.submissions_at_work import made, rejudged

WHOLE = 260


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """One honest submission, judged again: 40 % of the whole split, 26,000 tokens and no price."""
    passes = ["1" if n % 10 < 4 else "0" for n in range(WHOLE)]
    honest = made(tmp_path / "dir", "honest", passes, name="honest", setting="oracle")
    file = honest / "results.json"
    claimed = json.loads(file.read_text())
    claimed["dollars"] = None
    file.write_text(json.dumps(claimed))
    rejudged(honest, run(rows(passes), each=1))
    return honest.parent


def claims(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def page_of(root: Path, site: Path) -> str:
    return write_site(root, site)[0].read_text()


def test_claims_invent_no_columns(root: Path, tmp_path: Path) -> None:
    """A claim of pass@3 to pass@40, of repositories and of error classes widened the board of all others."""
    folder = made(root, "columns", ["0"] * WHOLE, name="columns")
    claimed = claims(folder)
    figure = next(each for each in claimed["judged"]["figures"] if each["estimator"] == "unbiased")
    claimed["judged"]["figures"] += [{**figure, "k": k, "value": 1.0} for k in range(3, 41)]
    claimed["judged"]["figures"] += [{**figure, "group_kind": "repository", "group": f"buy-{n}"} for n in range(60)]
    (folder / "results.json").write_text(json.dumps(claimed))
    page = page_of(root, tmp_path / "site")
    assert set(re.findall(r">pass@(\d+) %<", page)) == {"1"}
    assert "buy-" not in page


def test_an_error_class_that_is_none_is_refused(root: Path, tmp_path: Path) -> None:
    folder = made(root, "errors", ["0"] * WHOLE, name="errors")
    claimed = claims(folder)
    claimed["judged"]["errors"]["strict"] = {f"E1/visit-example-{n}": 5 for n in range(90)}
    (folder / "results.json").write_text(json.dumps(claimed))
    page = page_of(root, tmp_path / "site")
    assert "visit-example" not in page
    claimed["judged"]["errors"]["strict"] = {"E1": 10**9}
    (folder / "results.json").write_text(json.dumps(claimed))
    assert "1,000,000,000" not in page_of(root, tmp_path / "site")


def test_a_claim_is_what_its_verdicts_give(root: Path, tmp_path: Path) -> None:
    """A claimed figure of 100 % beside verdicts of which none passed stood on the board as 100 %."""
    folder = made(root, "figures", ["0"] * WHOLE, name="figures")
    claimed = claims(folder)
    for figure in claimed["judged"]["figures"]:
        figure["value"] = 1.0
    (folder / "results.json").write_text(json.dumps(claimed))
    page = page_of(root, tmp_path / "site")
    assert not re.search(r"<b>100\.0</b>", page)


def test_a_claim_does_not_stand_above_what_was_judged_again(root: Path, tmp_path: Path) -> None:
    made(root, "best", ["1"] * WHOLE, name="best")
    page = page_of(root, tmp_path / "site")
    assert page.index('<th scope="row">honest') < page.index('<th scope="row">best')


@pytest.mark.parametrize(
    "changes",
    [{"suite": "pocket-2"}, {"split": "fu\uff4c\uff4c"}, {"suite_version": "\uff13"}, {"suite_version": "4"}],
)
def test_claims_open_no_board(root: Path, tmp_path: Path, changes: dict[str, str]) -> None:
    """Six claims on an invented board, whose title looks like the real one's, made it the first board."""
    for n in range(6):
        made(root, f"sybil-{n}", ["1"] * 4, name=f"sybil {n}")
        file = root / f"20260102_sybil-{n}" / "metadata.yaml"
        text = file.read_text()
        for field, value in changes.items():
            text = re.sub(rf"\b{field}: [^,}}\n]+", f"{field}: '{value}'", text)
        file.write_text(text)
    assert len(read_submissions(root)[0]) == 7
    page = page_of(root, tmp_path / "site")
    titles = re.findall(r'<h2 id="board-\d+-title">(.*?)</h2>', page)
    assert titles[0] == "pocket version 3, split full, policy strict"
    assert all(title.startswith("pocket version 3, split full, ") for title in titles)
    assert "its claims are not shown" in page


def test_a_claimed_cost_does_not_hide_the_others(root: Path, tmp_path: Path) -> None:
    """One claim of dollars took all who state only tokens from the plot; one of 10^15 tokens squeezed them."""
    cheap = made(root, "cheap", ["1"], name="cheap")
    (cheap / "results.json").write_text(json.dumps({**claims(cheap), "dollars": 1e-300}))
    vast = made(root, "vast", ["0"] * WHOLE, name="vast")
    (vast / "results.json").write_text(json.dumps({**claims(vast), "dollars": None, "tokens_in": 10**15}))
    page = page_of(root, tmp_path / "site")
    plot = page[page.index("<svg") : page.index("</svg>")]
    assert "tokens of the whole run" in plot and "honest" in plot
    assert "cheap" not in plot  # it answered one row; a part is not comparable
    at = float(re.findall(r'aria-label="honest.*?cx="([\d.]+)"', plot)[0])
    assert at > 52 + 20  # not on the left edge
    assert len(re.findall(r'class="grid"', plot)) < 20
