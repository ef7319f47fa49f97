"""`readme` and `code`: which files, in which order, and where they are cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlbench.prompts import files
from mlbench.prompts.context import INSTRUCTION, Context, Document
from mlbench.prompts.tokens import Counter

WORDS = Counter("words", lambda text: len(text.split()))
pytestmark = pytest.mark.usefixtures("cache")


def paths(folder: Path, which: files.Which, context: Context | None = None) -> list[str]:
    return [document.path for document in files.shown_files(folder, which, context or Context()).documents]


def test_code_shows_readmes_first_and_what_people_wrote(made: Path) -> None:
    wanted = ["README.md", "examples/README.rst", "train.py", "data/small.json", "docs/guide.md", "zoo/later.py"]
    assert paths(made, "files") == wanted
    assert paths(made, "readmes") == wanted[:2]


def test_nothing_is_cut_where_all_fits(made: Path) -> None:
    shown = files.shown_files(made, "files", Context())
    assert shown.cut
    assert shown.cut.documents == shown.cut.of_documents == 6
    assert shown.cut.tokens == shown.cut.of_tokens
    assert shown.cut.characters == shown.cut.of_characters == sum(len(each.text) for each in shown.documents)
    assert not shown.cut.partly
    assert shown.counter == "estimate"


def test_what_does_not_fit_is_cut_at_a_line_and_nothing_follows(made: Path) -> None:
    (made / "README.md").write_text("".join(f"line {number} of many\n" for number in range(500)))
    shown = files.shown_files(made, "files", Context(tokens=INSTRUCTION + 100 + 1000, reply=100))
    assert [document.path for document in shown.documents] == ["README.md"]
    assert shown.cut and shown.cut.partly == "README.md"
    assert shown.cut.tokens <= 1000 < (shown.cut.of_tokens or 0)
    (document,) = shown.documents
    assert document.lines == (1, document.text.count("\n") + 1)
    assert document.text.endswith("of many")
    assert shown.cut.tokens > 900


def test_a_budget_is_of_real_tokens(made: Path) -> None:
    counting = Counter("words", WORDS.count, margin=0.5)
    document = Document("a.md", "word\n" * 200)
    exact = files.packed(files.counted([document], WORDS), [document], WORDS, 150)
    careful = files.packed(files.counted([document], counting), [document], counting, 150)
    assert exact.cut and careful.cut
    assert 100 < exact.cut.tokens <= 150
    assert 50 < careful.cut.tokens <= 100


def test_one_long_line_is_cut_inside() -> None:
    document = Document("a.md", "word " * 1000)
    shown = files.packed(files.counted([document], WORDS), [document], WORDS, 50)
    assert shown.documents and shown.cut and shown.cut.tokens <= 50
    assert files.beginning(document, 1, WORDS) is None


def test_a_file_is_counted_once(made: Path, forget: Callable[[], None]) -> None:
    calls: list[str] = []
    counting = Counter("listening", lambda text: len(calls.append(text) or text))
    first = files.counts_of(made, "files", counting)
    assert calls
    calls.clear()
    forget()
    assert files.counts_of(made, "files", counting) == first
    assert not calls


def test_a_changed_file_is_counted_anew(made: Path, forget: Callable[[], None]) -> None:
    before = files.counts_of(made, "files", WORDS)
    (made / "train.py").write_text("import sys\n")
    forget()
    assert files.counts_of(made, "files", WORDS) != before


def test_a_repository_without_readme(tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    assert paths(folder, "readmes") == paths(folder, "files") == []
    (folder / "run.py").write_text("print()\n")
    assert paths(folder, "readmes") == []


def test_what_cannot_be_read_is_a_note_and_the_rest_goes_on(made: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    (made / "README.link.md").symlink_to(tmp_path / "secret.md")
    (made / "out").symlink_to(tmp_path)
    (made / "README.long.md").write_text("x" * 6_000_000)
    (made / "README.txt").write_bytes(b"caf\xe9 and more\r\nnext\n")
    (made / "README.binary").write_bytes(b"\0\1\2")
    (made / "README.bin.md").write_bytes(b"\0\1\2")
    (made / "readme.ipynb").write_text("{not json")
    shown = files.shown_files(made, "readmes", Context())
    assert [each.path for each in shown.documents] == ["README.md", "README.txt", "examples/README.rst"]
    assert shown.documents[1].text == "caf\ufffd and more\nnext"
    assert {note.partition(":")[0] for note in shown.notes} == {"README.long.md", "README.bin.md", "readme.ipynb"}
    assert "secret" not in "".join(each.text for each in shown.documents)
