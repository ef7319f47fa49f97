"""MkDocs hooks: pages that stand at the repository's root become pages of the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "adr/*.md")
"""Outside of docs/, from the repository's root. In the site they stand beside the pages of docs/."""

_LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of `PAGES`."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Translate links that are right in the repository to the places of the site."""
    at_root = any(Path(page.file.src_uri).match(pattern) for pattern in PAGES)
    folder = posixpath.dirname(page.file.src_uri if at_root else f"docs/{page.file.src_uri}")

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[2]))
        if not (ROOT / target).exists():
            return link[0]  # MkDocs reports it
        inside = target.removeprefix("docs/")
        if files.get_file_from_path(inside) is None:
            return link[0]
        here = posixpath.dirname(page.file.src_uri)
        return f"{link[1]}{posixpath.relpath(inside, here or '.')}{link[3]}"

    return _LINK.sub(moved, markdown)
