"""Writes the spans of an oracle into a recipe's file and leaves its other lines as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from mlbench.records import RunError
from mlbench.suites.recipes import OracleSegment

_FIELD = re.compile(r"(?m)^(segment|published|undocumented):.*\n(?:(?:[ \t]+|- ).*\n|[ \t]*\n(?=[ \t]))*")
"""A field of the oracle with the lines that are indented below it."""


def oracle_fields(spans: Sequence[OracleSegment], published: OracleSegment | None, undocumented: Sequence[str]) -> str:
    """The lines of a recipe's oracle, as YAML.

    Args:
        spans: of the oracle.
        published: the one section; None if it is the first span.
        undocumented: words that no span shows.
    """
    lines = ["segment:", *(f"  - {_flow(span)}" for span in spans)]
    if published is not None:
        lines.append(f"published: {_flow(published)}")
    if undocumented:
        lines.append("undocumented: [" + ", ".join(json.dumps(word, ensure_ascii=False) for word in undocumented) + "]")
    return "".join(f"{line}\n" for line in lines)


def _flow(span: OracleSegment) -> str:
    file = span.file if re.fullmatch(r"[A-Za-z][\w./ +-]*", span.file) else json.dumps(span.file, ensure_ascii=False)
    return f"{{file: {file}, lines: [{span.lines[0]}, {span.lines[1]}], sha256: {span.sha256}}}"


def write_oracle(
    file: Path, spans: Sequence[OracleSegment], published: OracleSegment | None, undocumented: Sequence[str]
) -> None:
    """Replace the oracle in a recipe's file; the arguments are those of `oracle_fields`.

    Raises:
        RunError: the file cannot be read or written.
    """
    try:
        text = file.read_text(encoding="utf-8")
        first = next(match.start() for match in _FIELD.finditer(text) if match[1] == "segment")
        kept = [_FIELD.sub("", part) for part in (text[:first], text[first:])]
        file.write_text(kept[0] + oracle_fields(spans, published, undocumented) + kept[1], encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
