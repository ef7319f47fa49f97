"""Bring numbers in a text into one form: `0,93`, `12 345`, `ninety-three per cent`, `912 of 1,000`, tables. Pure."""

from __future__ import annotations

import re

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SMALL += " seventeen eighteen nineteen"
_UNITS = {word: value for value, word in enumerate(_SMALL.split())}
_TEN = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * value for value, word in enumerate(_TEN.split(), start=2)}
_WORD = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(list(_UNITS)[1:10])}))?"
    rf"|(?P<small>{'|'.join(_UNITS)}))\b"
    r"(?=\s*-?\s*(?:%|per ?cent|percent|percentage|times|fold|x\b|of|out of|in|milli|seconds?|point))",
    re.IGNORECASE,
)
_GERMAN = re.compile(r"(?<![\w.,])(\d{1,3}(?:\.\d{3})+),(\d{1,2})(?![\d,])")
_COMMA = re.compile(r"(?<![\w.,])(0|\d+),(\d{1,2}|\d{4,})(?![\w,]*\d)(?! \d)")
_ZERO = re.compile(r"(?<![\w.,])0,(\d{3})(?!\d)")
_SPACED = re.compile(r"(?<![\w.,])(\d{1,3})((?:[   ']\d{3})+)(?![\d.,]*\d)")
_BARE = re.compile(r"(?<![\w.])\.(\d+)\b")
_OF = re.compile(
    r"\b(?P<part>\d[\d,]*)\s*(?:of|out of|in|/)\s*(?:the |all |every )?(?P<all>\d[\d,]*)\b(?P<rest>[^.;\n]{0,60})",
    re.IGNORECASE,
)
_RIGHT = r"\b(?:right|correct(?:ly)?|wrong(?:ly)?)\b"
_MARKDOWN = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^[\s|:+=-]+$")


def plain_numbers(text: str, share: bool) -> str:
    """Return a text with its numbers in the form `1234.5`, and its tables as sentences.

    Args:
        text: an agent's message.
        share: whether the metric is a share of right answers, so that `9 of 10 are right` states it.
    """
    text = _GERMAN.sub(lambda found: f"{found[1].replace('.', '')}.{found[2]}", text)
    text = _ZERO.sub(r"0.\1", _COMMA.sub(r"\1.\2", text))
    text = _SPACED.sub(lambda found: found[1] + re.sub(r"\D", "", found[2]), text)
    text = _BARE.sub(r"0.\1", text)
    text = _WORD.sub(lambda found: str(_value(found)), text)
    if share:
        text = _OF.sub(_shared, text)
    return _tables_as_sentences(text)


def _value(found: re.Match[str]) -> int:
    if found["small"]:
        return _UNITS[found["small"].lower()]
    return _TENS[found["tens"].lower()] + _UNITS.get((found["unit"] or "zero").lower(), 0)


def _shared(found: re.Match[str]) -> str:
    """`9 of 10 reviews right` as `an accuracy of 90 %`."""
    part, every = (int(found[name].replace(",", "")) for name in ("part", "all"))
    around = found.string[max(0, found.start() - 40) : found.start()] + found["rest"]
    told = re.search(_RIGHT, around, re.IGNORECASE)
    if not told or not 0 < every >= part:
        return found[0]
    right = every - part if told[0].lower().startswith("wrong") else part
    return f"accuracy {100 * right / every:.10g} %,{found['rest']}"


def _tables_as_sentences(text: str) -> str:
    """Tables of a text, cell by cell: `mine: accuracy 0.93.` in place of the row."""
    found: list[str] = []
    head: list[str] = []
    rows: list[list[str]] = []

    def close() -> None:
        nonlocal head, rows
        if head:
            numbered = all(_is_number(row[0]) for row in rows)  # epochs or folds: the last one is the result
            for row in rows[-1:] if numbered else rows:
                name = "" if numbered else f"{row[0]}: "
                found.extend(f"{name}{own} {cell}." for own, cell in zip(head[1:], row[1:], strict=True) if cell)
        head, rows = [], []

    for line in text.split("\n"):
        cells = _cells(line)
        if _RULE.match(line) and "-" in line and head:
            continue
        if len(cells) > 1 and not head and not any(map(_is_number, cells)):
            head = cells
        elif head and len(cells) == len(head) and any(map(_is_number, cells[1:])):
            rows.append(cells)
        else:
            if head and not rows:
                found.append("  ".join(head))
            close()
            found.append(line)
    if head and not rows:
        found.append("  ".join(head))
    close()
    return "\n".join(found)


def _cells(line: str) -> list[str]:
    if _MARKDOWN.match(line):
        return [cell.strip(" *`") for cell in line.strip().strip("|").split("|")]
    return re.split(r"\t|\s{2,}", line.strip()) if re.search(r"\S(?:\t|\s{2,})\S", line) else []


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[\s*~≈<$+-]*\d[\d.,]*\s*\S{0,8}", cell) is not None
