"""The documentation says what is there: its links resolve, its command lines parse, generated pages are up to date."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from mlbench.cli import app

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("adr/*.md"), *ROOT.glob(".github/**/*.md")])
MADE = DOCS / "reference" / "cli.md"
SHOWING = [page for page in PAGES if DOCS in page.parents or page.name in ("README.md", "CONTRIBUTING.md")]
"""Pages that show command lines to type."""

LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
COMMAND = re.compile(r"(?:^ {4,}|^|`|&& |\$ )(mlbench [^`\n]+)", re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the site and code hosts make them."""
    text = FENCE.sub("", page.read_text())
    words = (re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower() for heading in HEADING.findall(text))
    return {re.sub(r"[- ]+", "-", each) for each in words}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{name(page)}: no {link}"
        assert file.is_relative_to(ROOT), f"{name(page)}: {link} leads out of the repository"
        if anchor:
            assert anchor in anchors(file), f"{name(page)}: no heading {link}"


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command line `mlbench …`, without comments; placeholders are words like others."""
    for line in COMMAND.findall(text):
        if line.endswith("\\"):
            continue
        try:
            words = shlex.split(line.partition(" # ")[0].partition("  #")[0], comments=True)
        except ValueError:
            continue
        ends = [at for at, word in enumerate(words) if word in ("&&", "|", ";", ">")]
        yield words[: ends[0]] if ends else words


@functools.cache
def tree() -> Any:
    return typer.main.get_command(app)


def fault(words: list[str]) -> str:
    """Why the command line is not one of ours; empty if it is. Values are not looked at, only verbs and options."""
    command, rest = tree(), words[1:]
    while getattr(command, "commands", None) and rest and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            return "" if rest[0] in ("VERB", "…") else f"no verb {rest[0]!r}"
        command, rest = command.commands[rest[0]], rest[1:]
    known = {spelling for each in command.params for spelling in (*each.opts, *each.secondary_opts)} | {"--help"}
    for word in rest:
        if word == "--":
            break
        option = re.match(r"--?[a-zA-Z][\w-]*", word)
        if option and option[0] not in known:
            return f"no option {option[0]}"
    return ""


@pytest.mark.parametrize("page", [page for page in SHOWING if page != MADE], ids=name)
def test_commands_are_ours(page: Path) -> None:
    faults = [f"{' '.join(words)}: {why}" for words in commands(page.read_text()) if (why := fault(words))]
    assert not faults, f"{name(page)}: " + "; ".join(faults)


def test_the_test_of_commands_sees_faults() -> None:
    text = "```bash\nmlbench evil pocket\nmlbench eval pocket --modell x   # why\n```\n"
    text += "`mlbench suites chec DIR` and `mlbench agents`"
    assert [bool(fault(words)) for words in commands(text)] == [True, True, True, False]


def test_the_readme_is_short_and_names_the_test_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 120
    assert "pip install mlbench-harness" in text.partition("```\n")[0]
    assert "make test" in text


def test_the_command_line_reference_is_up_to_date() -> None:
    """`python tools/make_cli_reference.py` writes it anew."""
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_cli_reference.py", "--check"], check=False)
    assert done.returncode == 0, f"{name(MADE)} is not what the code says: run tools/make_cli_reference.py"


def test_every_environment_variable_is_documented() -> None:
    page = (DOCS / "reference" / "environment.md").read_text()
    used = set()
    for file in [*ROOT.glob("src/mlbench/**/*.py"), *ROOT.glob("src/mlbench/**/*.sh"), *ROOT.glob("benchmarks/*.py")]:
        used |= set(re.findall(r"\bMLBENCH_[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*", file.read_text(errors="replace")))
    assert used
    assert {each for each in used if f"`{each}`" not in page} == set()


class Loader(yaml.SafeLoader):
    """YAML of MkDocs, whose tags mean nothing here."""


def test_every_page_is_in_the_navigation() -> None:
    def files(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for each in entry.values() if isinstance(entry, dict) else entry:
                yield from files(each)

    listed = set(files(yaml.load((ROOT / "mkdocs.yml").read_text(), Loader)["nav"]))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    pages |= {name(page) for page in ROOT.glob("adr/*.md")} | {"CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
    assert listed == pages


def test_nothing_of_the_site_is_loaded_from_elsewhere() -> None:
    config = (ROOT / "mkdocs.yml").read_text()
    assert "font: false" in config
    assert "iframe-worker.js" in config  # else the offline plugin takes one from a content network
    assert "://" not in re.sub(r"#.*", "", config)


def test_locks_have_hashes_and_no_addresses() -> None:
    lock = (DOCS / "requirements.txt").read_text()
    assert "--hash=sha256:" in lock
    assert "://" not in lock


def test_the_builders_page_has_its_reasons() -> None:
    """The page once named a reason that the builder had lost, and lacked two that it gave."""
    from mlbench.suite_builder.left_out import NOT_RUNNABLE

    page = (DOCS / "how-to" / "your-own-repository.md").read_text()
    tables = page.partition("## The steps and their reasons")[2].partition("\n## ")[0]
    code = " ".join(file.read_text() for file in ROOT.glob("src/mlbench/suite_builder/**/*.py"))
    checks = set(re.findall(r"`([a-z-]+)`", (DOCS / "reference" / "reasons.md").read_text()))
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", tables))
    assert {each for each in named if not re.search(rf"(?<![\w-]){each}(?![\w-])", code)} == set()
    assert set(NOT_RUNNABLE) - named - checks == set()


ROOMS = "|".join(folder.name for folder in (ROOT / "src" / "mlbench").iterdir() if folder.is_dir())
FILE = re.compile(rf"`(?:src/)?((?:mlbench|{ROOMS}|benchmarks)/[\w./-]+\.\w+|(?:src|benchmarks)/[\w/-]+/)`")


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name)
def test_files_of_the_package_exist(page: Path) -> None:
    """A page once sent its reader to `mlbench/types.py`, which was renamed."""
    named = [each for each in FILE.findall(page.read_text()) if not re.search("[A-Z]{4}", each)]
    folders = (ROOT, ROOT / "src", ROOT / "src" / "mlbench")
    assert [each for each in named if not any((folder / each).exists() for folder in folders)] == []


def test_the_fields_of_verdicts_are_documented() -> None:
    """The page lacked six fields of `mlbench verify --json`."""
    written = (ROOT / "src" / "mlbench" / "results" / "verdicts.py").read_text()
    table = (DOCS / "reference" / "records.md").read_text().partition("## Verdicts of")[2].partition("\n## ")[0]
    fields = re.findall(r'^ {12}"(\w+)": ', written, re.MULTILINE)
    assert len(fields) > 12
    assert [field for field in fields if f"`{field}`" not in table] == []
