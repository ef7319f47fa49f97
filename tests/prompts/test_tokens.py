"""Counters of tokens: without a network, each with its name and its error."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mlbench.prompts import tokens
from mlbench.records import UsageError


@pytest.mark.parametrize(
    ("text", "real"),  # of cl100k_base
    [
        ("Train the ARMA model on Cora with two layers of sixteen units and a learning rate of 0.01.\n", 22),
        ("python train.py --dataset citeseer --lr 5e-3 --hidden 8 16 --epochs 100\n", 24),
        ("def forward(self, x):\n    return self.norm(x + self.attn(x))\n", 17),
    ],
)
def test_the_estimate_is_near(text: str, real: int) -> None:
    assert tokens.estimate(text * 50) == pytest.approx(real * 50, rel=0.15)


def test_the_estimate_takes_anything() -> None:
    assert tokens.estimate("") == 0
    assert tokens.estimate("\ud800 \x00 ü 中文 🎹") > 0
    assert tokens.estimate("a") == 1


def test_its_error_is_kept_away_from_the_context() -> None:
    counting = tokens.counter("estimate")
    assert counting.fits(2_000) == 1_818
    assert tokens.Counter("exact", len).fits(2_000) == 2_000


@pytest.mark.parametrize("folder", ["", "there"])
def test_an_encoding_is_never_fetched(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with another hash is as good as none: tiktoken would replace it from the network."""
    where = str(tmp_path) if folder else ""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", where)
    (tmp_path / tokens._ENCODINGS["cl100k_base"][0]).write_text("not it")
    tokens.counter.cache_clear()
    with pytest.raises(UsageError, match="the data of cl100k_base are not on this machine"):
        tokens.counter("cl100k_base")


def test_what_is_no_tokenizer_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        UsageError, match="no tokenizer 'gpt'; there are: estimate, cl100k_base, o200k_base, or the path"
    ):
        tokens.counter("gpt")
    with pytest.raises(UsageError, match=r"nosuch\.json: cannot be read"):
        tokens.counter(str(tmp_path / "nosuch.json"))
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UsageError, match="reading it needs the library tokenizers: pip install tokenizers"):
        tokens.counter(str(file))


def test_a_tokenizer_file_that_is_none_is_said(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    file.write_text("{}")
    with pytest.raises(UsageError, match="no tokenizer"):
        tokens.counter(str(file))
