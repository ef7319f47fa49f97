"""`retrieval`: the span nearest to the instruction, from an index that is made once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from mlbench.prompts import chunks, retrieval, sentences
from mlbench.prompts.context import INSTRUCTION, VARIANTS, Context, Variant
from mlbench.records import UsageError

pytestmark = pytest.mark.usefixtures("cache")


def best(folder: Path, variant: Variant, query: str, count: int = 1) -> list[retrieval.Document]:
    return retrieval.retriever_of(folder, variant).best(query, count)


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_found_stands_where_it_says(made: Path, variant: Variant) -> None:
    found = best(made, variant, "How do I give stripes to the zebra ? Zebras")
    assert found
    for document in found:
        assert document.lines
        first, last = document.lines
        lines = (made / document.path).read_text().splitlines()[first - 1 : last]
        assert document.text.strip() in "\n".join(lines)
        assert document.text.count("\n") + 1 == len(lines)


def test_the_variants_search_what_they_say(made: Path) -> None:
    searched = {variant: [part.path for part in retrieval.retriever_of(made, variant).parts] for variant in VARIANTS}
    assert searched["documents"] == ["README.md", "examples/README.rst", "docs/guide.md"]
    assert searched["paper"][:2] == ["README.md", "examples/README.rst"]
    assert "train.py" in searched["paper"] and "logo.bin2" not in searched["paper"]
    assert searched["code"] == searched["repository"]
    assert "zoo/made.py" not in searched["code"] and "data/small.json" in searched["code"]


def test_code_finds_a_function_or_class_or_section(made: Path) -> None:
    (function,) = best(made, "code", "the function Stripes with a count")
    assert (function.path, function.text, function.lines) == (
        "train.py",
        "def stripes(count):\n    return count * 2",
        (4, 5),
    )
    (section,) = best(made, "code", "zebra needs a plain and stripes")
    assert (section.path, section.lines) == ("docs/guide.md", (5, 7))


def test_python_that_does_not_parse_is_cut_by_lines(made: Path) -> None:
    (made / "old.py").write_text("print 'quagga'\n" * 100 + "(" * 300)
    assert best(made, "code", "quagga")[0].lines == (1, 40)


def test_paper_reads_no_more_than_it_needs_and_finds_the_same(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        (made / f"page{number:02}.py").write_text(f"Sentence {number} of many. It goes on. And on!\n" * 10)
    whole = chunks.corpus_of(made, "paper")
    monkeypatch.setattr(chunks, "_FIRST_LOOK", 100)
    lazy = chunks.corpus_of(made, "paper")
    assert list(lazy.units()) == list(whole.units())
    assert len(whole.begins) == chunks.SENTENCES
    assert len(lazy.parts) < len(whole.parts)
    text = "".join(f"\n=== {part.path} ===\n{(made / part.path).read_text()}\n" for part in whole.parts)
    assert [text[place] for place in islice(sentences.split(text), chunks.SENTENCES)] == list(whole.units())


def test_a_span_over_the_end_of_a_file_is_two_documents(made: Path) -> None:
    found = best(made, "paper", "Use `train.py --lr zebra example")
    assert [document.path for document in found][:2] == ["README.md", "examples/README.rst"]
    assert not any("===" in document.text for document in found[:1])


def test_documents_keep_their_spans_to_themselves(made: Path) -> None:
    assert len(best(made, "documents", "Use `train.py zebra example")) == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_index_is_made_once(
    made: Path, variant: Variant, forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = best(made, variant, "zebra stripes")
    forget()
    monkeypatch.setattr(retrieval, "corpus_of", lambda *_: pytest.fail("read again"))
    assert best(made, variant, "zebra stripes") == first


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_index_is_made_anew(
    made: Path, cache: Path, forget: Callable[[], None], damage: bytes | None
) -> None:
    first = best(made, "documents", "zebra stripes")
    (folder,) = (each for each in (cache / "prompts" / "retrieval").iterdir() if each.is_dir())
    for file in sorted(folder.iterdir()):
        forget()
        if damage is None:
            file.unlink()
        else:
            file.write_bytes(damage)
        assert best(made, "documents", "zebra stripes") == first
    flipped = folder / "idf.npy"
    data = bytearray(flipped.read_bytes())
    data[-1] ^= 1
    flipped.write_bytes(data)
    forget()
    assert best(made, "documents", "zebra stripes") == first
    assert flipped.read_bytes() != bytes(data)


def test_the_index_is_of_the_content(made: Path, forget: Callable[[], None]) -> None:
    best(made, "documents", "quagga")
    (made / "docs" / "guide.md").write_text("A quagga is no zebra.\n")
    forget()
    assert best(made, "documents", "quagga")[0].text == "A quagga is no zebra."


def test_nothing_to_search_shows_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    for variant in VARIANTS:
        assert retrieval.retrieve("anything", folder, Context(retrieval=variant)).documents == ()


def test_hostile_files_are_notes(made: Path, tmp_path: Path) -> None:
    (made / "docs" / "broken.ipynb").write_text("{not json")
    (made / "docs" / "long.md").write_text("x" * 6_000_000)
    (made / "docs" / "latin.md").write_bytes(b"A caf\xe9 for quaggas.\r\n")
    (tmp_path / "secret.md").write_text("secret quagga\n")
    (made / "docs" / "out.md").symlink_to(tmp_path / "secret.md")
    shown = retrieval.retrieve("caf\ufffd for quaggas.", made, Context(retrieval="documents"))
    assert [(each.path, each.text) for each in shown.documents] == [("docs/latin.md", "A caf\ufffd for quaggas.")]
    assert {note.partition(":")[0] for note in shown.notes} == {"docs/broken.ipynb", "docs/long.md"}


def test_what_is_found_is_cut_to_the_context(made: Path) -> None:
    (made / "README.md").write_text("quagga " * 30_000)
    context = Context(tokens=INSTRUCTION + 100 + 500, reply=100, retrieval="code")
    shown = retrieval.retrieve("a quagga", made, context)
    assert shown.cut and shown.cut.partly == "README.md"
    assert 400 < shown.cut.tokens <= 500
    assert shown.how == "code"


def test_several_processes_make_one_index(made: Path, cache: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mlbench.prompts.retrieval import retrieve;"
        " from mlbench.prompts.context import Context;"
        " print(retrieve('zebra stripes', Path(sys.argv[1]), Context(retrieval='code')).documents)"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, str(made)], stdout=subprocess.PIPE) for _ in range(3)]
    answers = {run.communicate()[0] for run in runs}
    assert len(answers) == 1
    assert b"stripes" in answers.pop()
    assert len([each for each in (cache / "prompts" / "retrieval").iterdir() if each.is_dir()]) == 1


def test_options_that_cannot_be_are_said() -> None:
    with pytest.raises(UsageError, match="no retrieval 'best'; there are: paper, documents, repository, code"):
        Context(retrieval="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a context of 0 tokens"):
        Context(tokens=0)
    with pytest.raises(UsageError, match="0 spans"):
        Context(spans=0)
