"""Parse a reply: sections of text, and one JSON object. Pure; nothing is evaluated."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mlbench.evals.mlagentbench.research_agent.steps import ACTION, ACTION_INPUT, FINAL_ANSWER, THOUGHTS, ParsedReply

LONGEST = 1_000_000
"""The most characters of a reply."""

_NAMES = "|".join([*THOUGHTS, ACTION_INPUT, ACTION, "Observation"])
_HEADING = re.compile(rf"^[ \t>#*_-]*(?:\d+[.)] [*_]*)?({_NAMES})[ \t*_]*:[*_]*", re.M | re.I)
_ORNAMENT = " \t\r\n`*_\"'[]"
_OPENING = re.compile(r"\s*(?:```[\w-]*\s*)?")
_QUOTES = ('"""', "'''", '"', "'")


class UnreadableError(Exception):
    """The reply has the wrong form; the message tells the model what is wrong."""


def parse(reply: str) -> ParsedReply:
    """Return the first action of a reply, its inputs, and the sections before it.

    Sections may be missing, headings may be Markdown, and the object may be fenced or a Python literal. The text after
    the object, such as an invented observation, is ignored.

    Raises:
        UnreadableError: there is no action, or no object after it.
    """
    if len(reply) > LONGEST:
        raise UnreadableError(f"it has {len(reply):,} characters; at most {LONGEST:,} are read")
    headings = list(_HEADING.finditer(reply))
    at = next((n for n, each in enumerate(headings) if _name(each) == ACTION), None)
    if at is None:
        raise UnreadableError(f'there is no line that begins with "{ACTION}:"')
    before = headings[: at + 1]
    thoughts = {_name(here): _text(reply, here, behind) for here, behind in itertools.pairwise(before)}
    behind = headings[at + 1] if at + 1 < len(headings) else None
    action = _text(reply, headings[at], behind).strip(_ORNAMENT).partition("\n")[0].strip(_ORNAMENT)
    if not action:
        raise UnreadableError(f'"{ACTION}:" names no action')
    if behind is None or _name(behind) != ACTION_INPUT:
        raise UnreadableError(f'there is no "{ACTION_INPUT}:" behind "{ACTION}: {action[:100]}"')
    inputs = _inputs(reply, behind.end(), action)
    return ParsedReply(action, inputs, {name: text for name, text in thoughts.items() if name in THOUGHTS and text})


def _name(heading: re.Match[str]) -> str:
    return next(name for name in (*THOUGHTS, ACTION, ACTION_INPUT, "Observation") if name.lower() == heading[1].lower())


def _text(reply: str, heading: re.Match[str], behind: re.Match[str] | None) -> str:
    return reply[heading.end() : behind.start() if behind else len(reply)].strip()


def _inputs(reply: str, start: int, action: str) -> Mapping[str, Any]:
    opened = _OPENING.match(reply, start)
    begin = opened.end() if opened else start
    if not reply.startswith("{", begin):
        text = reply[start:].strip(_ORNAMENT)
        if text and re.sub(r"\W", "", action).lower() == "finalanswer":
            return {_key(FINAL_ANSWER): text}  # many models write the final answer as plain text: keep it
        raise UnreadableError(f'behind "{ACTION_INPUT}:" there has to be a JSON object, and there is {text[:60]!r}')
    inputs = _object(reply, begin)
    try:
        json.dumps(inputs, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError):  # bytes and sets of Python, lone surrogates
        raise UnreadableError(f"the {ACTION_INPUT} holds values that JSON cannot hold") from None
    return inputs


def _key(published: str) -> str:
    return published.lower().replace(" ", "_")


def _object(reply: str, begin: int) -> dict[str, object]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refused, strict=False)
    try:
        found, _ = decoder.raw_decode(reply, begin)
    except (ValueError, RecursionError) as fault:
        try:
            # literal_eval only parses
            found = ast.literal_eval(reply[begin : _end(reply, begin)])
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            what = " ".join(str(fault).split())[:200]
            raise UnreadableError(f"the {ACTION_INPUT} is no JSON object: {what}") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise UnreadableError(f"the {ACTION_INPUT} is no JSON object with names for its values")
    return found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        double = next(name for name, count in Counter(names).items() if count > 1)
        raise UnreadableError(f"the {ACTION_INPUT} is ambiguous: {double[:100]!r} stands there twice")
    return dict(pairs)


def _refused(constant: str) -> None:
    raise UnreadableError(f"the {ACTION_INPUT} holds {constant}, which is no JSON")


def _end(text: str, begin: int) -> int:
    """Return the index after the brace that closes the one at `begin`, or the end of the text."""
    depth, quote, at = 0, "", begin
    while at < len(text):
        if quote:
            if text[at] == "\\":
                at += 2
                continue
            if text.startswith(quote, at):
                at, quote = at + len(quote), ""
                continue
        elif opened := next((each for each in _QUOTES if text.startswith(each, at)), ""):
            at, quote = at + len(opened), opened
            continue
        elif text[at] in "{}":
            depth += 1 if text[at] == "{" else -1
            if not depth:
                return at + 1
        at += 1
    return len(text)
