"""Checks that an instruction states nothing that neither the reference nor the documentation has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlbench.suite_builder.quality.instructions import InstructionFault

_QUOTED = re.compile(r"\"([^\"\n]+)\"")
_WORD = re.compile(r"[^\s\"',;()]+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PATH = re.compile(
    r"\.{0,2}/?[\w.~-]+(?:/[\w.~:=-]+)+/?|[\w-]+\.(?:py|sh|ya?ml|json|pth?|ckpt|png|jpe?g|wav|mp[34]|txt|csv)"
)
_UNFILLED = (
    r"path[/_-]to\b|\b(?:your|YOUR)[_-]\w|\b(?:SOME|MY|ANY)_[A-Z]|(?<![A-Za-z])(?:x{3,}|X{3,})(?![A-Za-z])"
    r"|(?<![\d.])(?!0\.)(\d{1,3})\.\1\.\1\.\1(?![\d.])|(?<![\d.])1\.2\.3\.4(?![\d.])"
)
"""What stands for something of the reader's own in a word or text; addresses as well: `123.123.123.123`."""
_LEFT = re.compile(
    r"(?<=[= ])(?:[A-Z]|<[^<>\n]+>|\$\{?[A-Z_]{2,}\}?|\S*\b(?:ip|host|address):port\b\S*"
    r"|\[[A-Za-z][\w.-]*(?:\s*[/|]\s*[\w.-]+)+\]|(?:gpus?|nodes?)_?num|(?:num|n|number)_(?:of_)?(?:gpus?|nodes?))(?=\s|$)"
)
_COUNTED = re.compile(
    r"--(?:nproc[_-]per[_-]node|num[_-](?:processes|gpus|machines)|nnodes|(?:node|machine)[_-]rank"
    r"|(?:master[_-])?port)[= ]"
    r"(?!(?:auto|cpu|gpu)\b)[A-Za-z]\w*(?=\s|$)"
)  # the launcher wants a number there
_WORD_LEFT = re.compile(rf"[^\s'\"=]*(?:{_UNFILLED})[^\s'\"]*")
_TEXT_LEFT = re.compile(rf"(?:{_UNFILLED})|[\"']<[A-Za-z][^<>\n]*>[\"']")
_A_PLACE = re.compile(r"(?<=[= ])\./(?:path|dir|directory|folder|filename)(?=\s|$)")  # `--data_folder ./path`
_IN_ADDRESS = re.compile(r"\b\w+://[^\s'\"]*\[[A-Za-z][^\]\n]*\]")  # `tcp://[your first node address]:[port]`
_OPEN = re.compile(r"[\"']\.{3}[\"']|\{[A-Za-z]\w* [^{}\n]*\}")  # `--model_dir="..."`, `{types of result}`
_AND_SO_ON = re.compile(r"(?<![\w./-])etc(?:\.\w+)?(?=[\s,\]'\"]|$)")
_ITSELF = re.compile(r"--([a-z][\w-]{2,})[= ]\1(?=\s|$)")  # `--model model` is a synopsis


def unattested(instruction: str, reference: str, documentation: str) -> Iterator[InstructionFault]:
    """The numbers, paths and quoted names of an instruction that stand nowhere else.

    Args:
        instruction: its text.
        reference: the answer.
        documentation: what the task's documentation says, with its headings and the page's name.
    """
    known = f"{reference}\n{documentation}"
    plain = " ".join(known.split())
    for quoted in _QUOTED.findall(instruction):
        parts = [part.strip() for part in quoted.split(" > ")]
        if not all(part in plain for part in parts):
            yield InstructionFault("not-attested", quoted)
    numbers = {float(each) for each in _NUMBER.findall(known)}
    words = {word.rstrip(".:?!") for word in _WORD.findall(known)}
    for word in _WORD.findall(_QUOTED.sub(" ", instruction)):
        bare = word.rstrip(".:?!")
        if _NUMBER.fullmatch(bare):
            if float(bare) not in numbers:
                yield InstructionFault("not-attested", bare)
        elif _PATH.fullmatch(bare) and bare not in words and bare not in known:
            yield InstructionFault("not-attested", bare)


def placeholder(reference: str, *, python: bool = False) -> str:
    """What a reader of the documentation would have to fill in; empty if nothing is left: `--nproc_per_node=N`.

    Args:
        reference: a command, or Python.
        python: whether it is Python, where capitals and signs have other meanings.
    """
    if python:
        return _first(_TEXT_LEFT, reference)
    patterns = (_LEFT, _ITSELF, _A_PLACE, _IN_ADDRESS, _OPEN, _AND_SO_ON, _COUNTED, _WORD_LEFT)
    return next(filter(None, (_first(each, reference) for each in patterns)), "")


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[0] if found else ""
