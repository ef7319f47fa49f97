"""Step 1: selects the documents that may hold tasks (ML-Bench, section 2.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mlbench.repositories.documents import documents, format_of, text_of
from mlbench.repositories.missing_parts import declared_submodules
from mlbench.suite_builder.types import BuildDecision, DocPage

LONGEST = 1_000_000
"""Characters of the longest page. A longer one is a log or a table."""

_NAMES = {
    "changelog": re.compile(r"change(?:s|[-_ ]?log)|changelog|history|news|releases?(?:[-_ ]?notes?)?|whats?[-_ ]?new"),
    "licence": re.compile(
        r"licen[cs]es?|copying|notice|third[-_ ]party.*|patents|citation|authors|contributors|thanks"
    ),
    "conduct": re.compile(r"(?:code[-_ ]of[-_ ])?conduct|security|support|governance|maintainers"),
    "contributing": re.compile(
        r"contributing(?:[-_ ].*)?|agents|claude|gemini|copilot.*|.*pull[-_ ]request.*|.*issue[-_ ]template.*"
    ),
}
"""Reasons for leaving a page out, by its whole name without the ending."""
_WHY = {
    "changelog": "it tells what has changed",
    "licence": "it tells the terms of use, or who wrote it",
    "conduct": "it tells how people work together",
    "contributing": "it tells how to change the repository",
    "submodule": "it is a page of another repository, which is a submodule here",
    "website": "it is about the making of a website",
    "translation": "the same page stands in English",
    "same-text": "the same text stands in another page",
    "api-stub": "it holds nothing but the places of generated text",
    "unreadable": "it cannot be read",
    "odd-name": "its name has characters that cannot be printed",
    "too-long": "it is too long for a page that people read",
    "empty": "it holds no text",
}
_LANGUAGE = (
    "zh|cn|tw|hk|ja|jp|ko|kr|fr|de|es|pt|ru|it|vi|tr|ar|fa|hi|id|uk|pl|nl|te|chinese|japanese|korean|french|german"
    "|spanish|portuguese|russian|kor"
)
_TRANSLATION = re.compile(rf"^(.+?)[-_.](?:{_LANGUAGE})(?:[-_.]?(?:cn|tw|hk|hans|hant|br|zh))?$", re.I)
_FOLDER = re.compile(rf"^(?:{_LANGUAGE})(?:[-_](?:cn|tw|hk|hans|hant|br))?$|^zh[-_]?h?ans?$", re.I)
_ENGLISH = ("en", "english", "en-us", "en_us", "source")
_FOREIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0400-\u04ff]")
_DIRECTIVE = re.compile(r"^(\s*)\.\. ([\w:-]+)::")
_GENERATED = re.compile(r"auto\w*|(?:py:)?(?:current)?module|toctree|contents|include|rubric|doxygen\w*|raw|image")


@dataclass(frozen=True)
class DocSelection:
    """The selected pages, READMEs first, and a decision on every document."""

    pages: tuple[DocPage, ...]
    decisions: tuple[BuildDecision, ...]


def select(repository: Path) -> DocSelection:
    """The READMEs and documentation pages that may hold a task; others have a reason."""
    found = documents(repository)
    there = {path.lower() for path in found}
    others = tuple(f"{path}/" for path in declared_submodules(repository))
    seen: dict[str, str] = {}
    pages: list[DocPage] = []
    decisions: list[BuildDecision] = []
    for path in found:
        reason, why, page = "submodule" if path.startswith(others) else _by_name(path), "", None
        if not reason:
            page, reason, why = _read(repository, path)
        if page is not None:
            other = _original(page, there)
            if other:
                reason, why = "translation", f"the same page stands in {other}"
            elif (first := seen.setdefault(page.text.strip(), path)) != path:
                reason, why = "same-text", f"the same text stands in {first}"
        if page is not None and not reason:
            pages.append(page)
        shown = path if path.isprintable() else ascii(path)
        decisions.append(BuildDecision("readmes", shown, not reason, reason, (why or _WHY[reason]) if reason else ""))
    return DocSelection(tuple(pages), tuple(decisions))


def _by_name(path: str) -> str:
    if not path.isprintable():
        return "odd-name"
    if "website" in PurePosixPath(path).parts[:-1]:
        return "website"
    stem = PurePosixPath(path).stem.lower()
    return next((reason for reason, names in _NAMES.items() if names.fullmatch(stem)), "")


def _read(repository: Path, path: str) -> tuple[DocPage | None, str, str]:
    """The page, or why it is left out."""
    form = format_of(path)
    try:
        text = text_of(repository / path)
    except OSError as error:
        return None, "unreadable", f"it cannot be read: {error.strerror}"
    except ValueError as error:
        return None, *(("too-long", str(error)) if " MB " in str(error) else ("unreadable", f"it {error}"))
    if len(text) > LONGEST:
        return None, "too-long", f"{len(text):,} characters, {LONGEST:,} are read at most"
    if form is None or not text.strip():
        return None, "empty", ""
    if form == "rst" and _only_generated(text):
        return None, "api-stub", ""
    return DocPage(path, form, text), "", ""


def _original(page: DocPage, there: set[str]) -> str:
    """The English page that this one translates; empty if there is none."""
    path = PurePosixPath(page.path.lower())
    match = _TRANSLATION.match(path.stem)
    if match and (other := next(_beside(path, match[1], there), "")):
        return other
    for at, folder in enumerate(path.parts[:-1]):
        match = _TRANSLATION.match(folder)
        if match or _FOLDER.match(folder):
            for name in (match[1], f"{match[1]}_en") if match else ("", *_ENGLISH):
                other = PurePosixPath(*path.parts[:at], name, *path.parts[at + 1 :]).as_posix()
                if other in there:
                    return other
            if len(_FOREIGN.findall(page.text)) * 10 > len(page.text):
                return "" if not _has_others(path.parts[: at + 1], there) else "another folder"
    return ""


def _beside(path: PurePosixPath, stem: str, there: set[str]) -> Iterator[str]:
    for name in (stem, f"{stem}_en", f"{stem}.en", f"{stem}-en"):
        for suffix in (path.suffix, ".md", ".rst", ""):
            other = path.with_name(name + suffix).as_posix()
            if other in there and other != path.as_posix():
                yield other


def _has_others(folder: tuple[str, ...], there: set[str]) -> bool:
    """Whether there are pages beside a folder of translations."""
    around = "".join(f"{part}/" for part in folder[:-1])
    inside = "".join(f"{part}/" for part in folder)
    return any(path.startswith(around) and not path.startswith(inside) for path in there)


def _only_generated(text: str) -> bool:
    """Whether a tool fills in all of the page's directives, and the page shows no code."""
    lines = text.split("\n")
    names = [match[2] for line in lines if (match := _DIRECTIVE.match(line))]
    shows = any(line.rstrip().endswith("::") and not _DIRECTIVE.match(line) for line in lines) or ">>>" in text
    return bool(names) and not shows and all(_GENERATED.fullmatch(name) for name in names)
