"""MergedProject pages: what is read from them, and that what we write says the same."""

from __future__ import annotations

import json

import pytest

from mlbench.package_index.page_reader import read
from mlbench.package_index.pages import IndexFile, as_html, as_json, is_file_name, normalised, project_of

HASH = "ab" * 32
FILES = (
    IndexFile(
        "a_b-1.0+cpu-py3-none-any.whl",
        "https://files/x/a_b-1.0%2Bcpu-py3-none-any.whl",
        HASH,
        ">=3.8,<4",
        metadata=HASH,
    ),
    IndexFile("a_b-1.1.tar.gz", "https://index/packages/a_b-1.1.tar.gz", yanked='broken "<b>"'),
    IndexFile("a_b-1.2.tar.gz", "https://index/packages/a_b-1.2.tar.gz", yanked="", metadata=""),
)


def test_an_html_page_is_read() -> None:
    text = f"""<html><body><h1>a-b</h1><a>no link</a>
    <a href="https://files/x/a_b-1.0%2Bcpu-py3-none-any.whl#sha256={HASH}" data-requires-python="&gt;=3.8,&lt;4"
       data-dist-info-metadata="sha256={HASH}">whatever</a>
    <A HREF='../../packages/a_b-1.1.tar.gz#md5=00' data-yanked='broken &quot;&lt;b&gt;&quot;'>a</a>
    <a href="/packages/a_b-1.2.tar.gz" data-yanked data-core-metadata="true">b</a>"""
    assert read(text, "https://index/simple/a-b/", is_json=False) == FILES


def test_a_json_page_is_read() -> None:
    rows: list[object] = [
        {
            "filename": FILES[0].name,
            "url": FILES[0].url,
            "hashes": {"sha256": HASH.upper()},
            "requires-python": ">=3.8,<4",
            "core-metadata": {"sha256": HASH},
            "yanked": False,
        },
        {"filename": "a_b-1.1.tar.gz", "url": "../../packages/a_b-1.1.tar.gz", "hashes": {}, "yanked": 'broken "<b>"'},
        {"filename": "a_b-1.2.tar.gz", "url": FILES[2].url, "hashes": {}, "yanked": True, "dist-info-metadata": True},
        {"filename": "a_b-1.3.tar.gz"},
        {"filename": 3, "url": []},
        "not a row",
    ]
    assert read(json.dumps({"files": rows}), "https://index/simple/a-b/", is_json=True) == FILES


@pytest.mark.parametrize("written", [(as_html, False), (as_json, True)])
def test_what_we_write_says_the_same_with_our_links(written: tuple[object, bool]) -> None:
    write, is_json = written
    assert callable(write)
    again = read(write("a-b", FILES), "http://127.0.0.1:1/simple/a-b/", is_json=is_json)
    assert [file.url for file in again] == [
        "http://127.0.0.1:1/files/a-b/a_b-1.0%2Bcpu-py3-none-any.whl",
        "http://127.0.0.1:1/files/a-b/a_b-1.1.tar.gz",
        "http://127.0.0.1:1/files/a-b/a_b-1.2.tar.gz",
    ]
    for ours, theirs in zip(again, FILES, strict=True):
        assert (ours.name, ours.sha256, ours.requires_python, ours.yanked, ours.metadata) == (
            theirs.name,
            theirs.sha256,
            theirs.requires_python,
            theirs.yanked,
            theirs.metadata,
        )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": 3}', "[" * 100_000, "<html>"])
def test_what_is_no_json_page_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON page"):
        read(text, "https://index/simple/a/", is_json=True)


@pytest.mark.parametrize("text", ["", "\0", "<a href", "<a href='http://[/a-1.zip'>", "<a href='http://h:x/a-1.zip'>"])
def test_a_broken_html_page_lists_nothing(text: str) -> None:
    assert read(text, "https://index/simple/a/", is_json=False) == ()


def test_what_pythons_parser_chokes_on_is_refused() -> None:
    with pytest.raises(ValueError, match="no HTML page"):
        read("<![x[", "https://index/simple/a/", is_json=False)


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("a-1.0-py3-none-any.whl", True),
        ("a-1!1.0+cu121.tar.gz", True),
        ("_a-1.zip", True),
        ("numpy-1.0.1.win32-py2.4.exe", False),
        ("../a-1.whl", False),
        (".hidden-1.whl", False),
        ("a b-1.whl", False),
        ("ä-1.whl", False),
        ("a-1.whl\n", False),
        (f"{'a' * 300}-1.whl", False),
        (".whl", False),
    ],
)
def test_file_names(name: str, fits: bool) -> None:
    assert is_file_name(name) is fits


def test_names_of_projects() -> None:
    assert normalised("Foo.._-Bar_1") == "foo-bar-1"
    assert project_of("Foo_Bar-1.0-py3-none-any.whl") == "foo-bar"
    assert project_of("foo-bar-1.0.tar.gz") == "foo-bar"
