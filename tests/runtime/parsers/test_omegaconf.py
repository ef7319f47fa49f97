from pathlib import Path

from tests.runtime.parsers.children import answers, reasons


def test_words_are_merged_into_the_schema() -> None:
    [answer] = answers("omegaconf", "omegaconf_program.py", "optimizer.lr=1e-3 optimizer.kind=adam")
    assert answer["configuration"]["optimizer.lr"] == 0.001
    assert answer["configuration"]["optimizer.kind"]["value"].endswith("Kind.adam")
    assert answer["configuration"]["steps"] == 10
    assert answer["given"] == ["optimizer.lr", "optimizer.kind"]


def test_the_schema_refuses() -> None:
    wanted = {
        "": "accepted",
        "optimizer.rate=1": "unknown-argument",
        "steps=many": "invalid-type",
        "optimizer.kind=rmsprop": "invalid-choice",
    }
    assert dict(zip(wanted, reasons("omegaconf", "omegaconf_program.py", *wanted), strict=True)) == wanted


def test_what_argparse_left_over_is_used() -> None:
    [answer] = answers("argparse omegaconf", "leftovers_program.py", "--base settings.yaml model.rate=0.2 new.key=x")
    assert answer["ignored"] == []
    found = answer["configuration"]
    assert (found["base"], found["model.rate"], found["model.name"], found["new.key"]) == (
        "settings.yaml",
        0.2,
        "small",
        "x",
    )
    assert set(answer["given"]) == {"base", "model.rate", "new.key"}


def test_a_long_merge_is_no_sign_that_the_work_begins(tmp_path: Path) -> None:
    base = tmp_path / "long.yaml"
    base.write_text("".join(f"part{i}:\n  rate: 0.{i}\n  other: ${{part0.rate}}\n" for i in range(100)))
    [answer] = answers("argparse omegaconf", "leftovers_program.py", f"--base {base} part1.rate=0.7")
    assert answer["configuration"]["part99.rate"] == 0.99
