"""`mlbench analyse overlap`: n-grams of rows in training files, exact, as a stream, whatever the files hold."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.results.memory import training_files
from mlbench.results.memory.ngrams import NgramIndex, token_stream, tokens
from mlbench.results.memory.overlap import overlap
from mlbench.results.memory.training_files import TextCounts, texts_of
from mlbench.suites.suite import load_suite
from tests import command_line

SUITE = load_suite("pocket")
ROW = SUITE.splits["quarter"][0].sample


def test_tokens_are_runs_of_letters_digits_and_underscores_in_lower_case() -> None:
    assert tokens("Train --learning_rate=0.1 ＧＡＴ, naïve!") == ["train", "learning_rate", "0", "1", "gat", "naïve"]


def test_a_token_that_two_chunks_share_stays_whole() -> None:
    text = "the quick brown_fox " * 40
    for size in (1, 2, 7, 64):
        parts = [text[at : at + size] for at in range(0, len(text), size)]
        assert [each for part in token_stream(parts) for each in part] == tokens(text)
    endless = ["a" * 700] * 50  # a token without an end must not fill the memory
    assert max(len(each) for part in token_stream(endless) for each in part) <= 1700


def by_the_book(wanted: list[str], searched: list[str], length: int, least: int) -> float | None:
    size = min(length, len(wanted))
    if size < least:
        return None
    grams = {tuple(wanted[at : at + size]) for at in range(len(wanted) - size + 1)}
    there = {tuple(searched[at : at + size]) for at in range(len(searched) - size + 1)}
    return len(grams & there) / len(grams)


def test_what_is_found_is_what_sets_of_ngrams_find() -> None:
    rng = random.Random(3)
    for _ in range(200):
        texts = {name: [rng.choice("abc") for _ in range(rng.randrange(12))] for name in range(5)}
        searched = [rng.choice("abc") for _ in range(60)]
        length = rng.randrange(2, 7)
        least = rng.randrange(1, length + 1)
        index = NgramIndex({name: " ".join(words) for name, words in texts.items()}, length, least)
        cuts = sorted(rng.sample(range(60), 3))
        parts = [searched[a:b] for a, b in zip([0, *cuts], [*cuts, 60], strict=True)]
        assert index.search(parts, "here") == 60
        for name, words in texts.items():
            assert index.share(name) == by_the_book(words, searched, length, least), (words, searched, length, least)


def test_ngrams_do_not_reach_from_one_text_into_the_next() -> None:
    index = NgramIndex({"row": "one two three four five six seven eight"}, 8)
    for half in ("one two three four", "five six seven eight"):
        index.search([tokens(half)], "here")
    assert index.share("row") == 0


def found(folder: Path, name: str, content: bytes) -> tuple[float, list[str]]:
    (folder / name).write_bytes(content)
    said: list[str] = []
    _, every = overlap(SUITE, "quarter", [folder / name], 13, said.append)
    share = {(line[0], line[1]): line[3] for line in every.rows}.get(("instruction", ROW.id), 0.0)
    assert isinstance(share, float)
    return share, said


def test_a_row_is_found_in_every_kind_of_file(tmp_path: Path) -> None:
    line = json.dumps({"messages": [{"role": "user", "content": ROW.instruction}, {"role": "assistant", "content": 3}]})
    files = {
        "a.txt": f"before {ROW.instruction.upper()} after".encode(),
        "b.jsonl": f"{json.dumps('other')}\n{line}\n".encode(),
        "c.jsonl.gz": gzip.compress(f"{line}\n".encode()),
        "d.md": b"\xff\xfe " + ROW.instruction.replace(" ", "\n> ").encode(),
    }
    for name, content in files.items():
        assert found(tmp_path, name, content) == (100.0, []), name
    assert found(tmp_path, "e.jsonl", b'{"text": "another text"}\n') == (0.0, [])


def test_a_row_is_found_in_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"id": [1, 2], "turns": [["x"], [ROW.instruction]]}), tmp_path / "made.parquet")
    content = (tmp_path / "made.parquet").read_bytes()
    assert found(tmp_path, "made.parquet", content) == (100.0, [])


def test_lines_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    deep = "[" * 100_000
    content = f'{{"a": 1\n{deep}\n\n{json.dumps(ROW.instruction)}\n'.encode()
    share, said = found(tmp_path, "a.jsonl", content)
    assert share == 100.0 and said == [f"{tmp_path}/a.jsonl: 2 lines are no JSON and were left out"]


def test_a_line_that_is_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_files, "LONGEST_LINE", 1000)
    content = f"{json.dumps('x ' * 5000)}\n{json.dumps(ROW.instruction[:900])}\n".encode()
    share, said = found(tmp_path, "a.jsonl", content)
    assert share > 0 and "1 lines" in said[0]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.txt", b"", "a.txt: the file is empty"),
        ("a.jsonl", b"no json\n", "holds no text .1 lines that are no JSON"),
        ("a.jsonl", b"17\n", "holds no text"),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.parquet", b"no parquet", "not a Parquet file|needs pip install"),
        ("a.bin", b"x", "not a training file"),
    ],
)
def test_a_bad_file_is_refused_by_name(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    (tmp_path / name).write_bytes(content)

    def read() -> Iterator[object]:
        for file in training_files.training_files([tmp_path / name]):
            yield from texts_of(file, TextCounts(name))

    with pytest.raises(UsageError, match=why):
        list(read())


def test_a_folder_is_read_and_an_empty_one_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no training file"):
        training_files.training_files([tmp_path])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.TXT").write_text("x")
    (tmp_path / "b.py").write_text("x")
    assert training_files.training_files([tmp_path]) == [tmp_path / "in" / "a.TXT"]
    with pytest.raises(UsageError, match="no such file"):
        training_files.training_files([tmp_path / "nothing"])


def test_the_command_shows_and_writes_what_was_met(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(ROW.instruction)
    words = ("analyse", "overlap", "pocket", "--files", "train.txt", "--split", "quarter", "--json", "o.json")
    done = command_line.mlbench(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "13-grams; 1 texts," in done.stdout and "train.txt" in done.stdout
    met = json.loads((tmp_path / "o.json").read_text())["sheets"][1]["rows"]
    assert [(line["row"], line["found"]) for line in met if line["text"] == "instruction"] == [(ROW.id, 100.0)]
