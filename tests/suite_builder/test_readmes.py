"""Which pages are read: every README and page of documentation, unless a stated reason speaks against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.suite_builder.docs.select_docs import DocSelection, select

STUB = "API\n===\n\n.. currentmodule:: lib\n\n.. autosummary::\n   :toctree: generated\n\n   load\n"
FILES = {
    "README.md": "# A tool\n",
    "README_zh-CN.md": "# 工具\n",
    "readme_notes.md": "# Notes\n",
    "CHANGELOG.md": "# 1.0\n",
    "docs/history.rst": "History\n=======\n",
    "LICENSE.md": "MIT\n",
    "CODE_OF_CONDUCT.md": "Be kind.\n",
    "CONTRIBUTING.md": "Send patches.\n",
    "AGENTS.md": "Run the linter.\n",
    "website/README.md": "Build the pages.\n",
    "docs/website.md": "# A model of websites\n",
    "docs/train.md": "# Train\n",
    "docs/copy.md": "# Train\n",
    "docs/ja/train.md": "# 訓練\n",
    "docs/guide/a.rst": "A\n=\n\nText.\n",
    "docs/guide_ko/a.rst": "가\n=\n\n글.\n",
    "docs/api.rst": STUB,
    "docs/usage.rst": STUB + "\n.. code-block:: bash\n\n   lib load\n",
    "demo.ipynb": '{"cells": []}',
    "broken.ipynb": "{",
    "de/README.md": "# Nur hier\n",
}


def made(root: Path) -> DocSelection:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return select(root)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("README.md", ""),
        ("README_zh-CN.md", "translation"),
        ("readme_notes.md", ""),
        ("CHANGELOG.md", "changelog"),
        ("website/README.md", "website"),
        ("docs/website.md", ""),
        ("docs/history.rst", "changelog"),
        ("LICENSE.md", "licence"),
        ("CODE_OF_CONDUCT.md", "conduct"),
        ("CONTRIBUTING.md", "contributing"),
        ("AGENTS.md", "contributing"),
        ("docs/copy.md", ""),
        ("docs/train.md", "same-text"),
        ("docs/ja/train.md", "translation"),
        ("docs/guide_ko/a.rst", "translation"),
        ("docs/guide/a.rst", ""),
        ("docs/api.rst", "api-stub"),
        ("docs/usage.rst", ""),
        ("demo.ipynb", "empty"),
        ("broken.ipynb", "unreadable"),
    ],
)
def test_each_page_is_kept_or_has_its_reason(tmp_path: Path, path: str, reason: str) -> None:
    found = made(tmp_path)
    (decision,) = [each for each in found.decisions if each.subject == path]
    assert (decision.kept, decision.reason) == (not reason, reason)
    assert bool(decision.why) == bool(reason)
    assert (path in {page.path for page in found.pages}) == decision.kept


def test_readmes_go_first_and_every_document_has_one_decision(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert [page.path for page in found.pages][:2] == ["README.md", "readme_notes.md"]
    assert sorted(each.subject for each in found.decisions) == sorted(FILES)


def test_a_translation_is_kept_where_there_is_no_other_page(tmp_path: Path) -> None:
    (tmp_path / "README_zh.md").write_text("# 工具\n", encoding="utf-8")
    assert [page.path for page in select(tmp_path).pages] == ["README_zh.md"]


def test_hostile_files_are_set_aside_and_the_rest_goes_on(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Secret\n")
    root = tmp_path / "repository"
    root.mkdir()
    (root / "README.md").write_bytes(b"\xef\xbb\xbf# Caf\xe9\r\n\r\ntext\r\n")
    (root / "long.md").write_text("x" * 5_000_001)
    (root / "wide.md").write_text("x " * 600_000)
    (root / "link.md").symlink_to(outside)
    (root / "loop.md").symlink_to(root / "loop.md")
    found = select(root)
    assert [(page.path, page.text) for page in found.pages] == [("README.md", "# Caf\ufffd\n\ntext\n")]
    assert {each.subject: each.reason for each in found.decisions if not each.kept} == {
        "long.md": "too-long",
        "wide.md": "too-long",
    }


def test_a_submodule_has_another_repository_s_pages(tmp_path: Path) -> None:
    """The eight copies of fairseq in SpeechT5 gave 13 of its 13 tasks."""
    for name in ("README.md", "parts/fairseq/README.md", "parts/fairseq2/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    (tmp_path / ".gitmodules").write_text('[submodule "fairseq"]\n\tpath = parts/fairseq\n')
    assert [page.path for page in select(tmp_path).pages] == ["README.md", "parts/fairseq2/README.md"]
    assert [each.reason for each in select(tmp_path).decisions if not each.kept] == ["submodule"]


def test_a_repository_without_documents_has_no_page(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    assert select(tmp_path) == DocSelection((), ())
