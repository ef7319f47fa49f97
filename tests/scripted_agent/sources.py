"""The options of a program from its source, where it cannot be asked: argparse and absl, as far as they are literal."""

from __future__ import annotations

import ast
import re

from tests.scripted_agent.programs import Knob


def knobs_of_source(text: str) -> list[Knob]:
    """The options that a source declares; none where it cannot be parsed. Nothing of it runs."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    knobs: list[Knob] = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name == "add_argument":
            knobs += _argparse(call, sum(not knob.flags for knob in knobs))
        elif name.startswith("DEFINE_"):
            knobs += _absl(call, name)
    return knobs


def _argparse(call: ast.Call, place: int) -> list[Knob]:
    names = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
    if not names:
        return []
    about = {k.arg: _literal(k.value) for k in call.keywords if k.arg}
    flags = tuple(name for name in names if name.startswith("-"))
    choices = about.get("choices")
    return [
        Knob(
            name=max(names, key=len).lstrip("-"),
            flags=flags,
            words=str(about.get("help") or ""),
            choices=tuple(str(c) for c in choices) if isinstance(choices, list | tuple) else (),
            switch="store" in str(about.get("action")),
            required=not flags or about.get("required") is True,
            many=about.get("nargs") in ("+", "*"),
            place=-1 if flags else place,
            default="" if about.get("default") is None else str(about["default"]),
        )
    ]


def _absl(call: ast.Call, kind: str) -> list[Knob]:
    values = [_literal(a) for a in call.args]
    if not values or not isinstance(values[0], str):
        return []
    choices = next((v for v in values[2:] if isinstance(v, list)), [])
    words = next((v for v in values[2:] if isinstance(v, str)), "")
    default = "" if len(values) < 2 or values[1] is None else str(values[1])
    switch = kind == "DEFINE_bool"
    return [Knob(values[0], (f"--{values[0]}",), words, tuple(map(str, choices)), switch, default=default)]


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None


def knobs_of_documents(text: str) -> list[Knob]:
    """The options that documents name: what stands behind one tells whether it is a switch."""
    found: dict[str, Knob] = {}
    for flag in dict.fromkeys(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text)):
        shown = re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])[ =]([^\s`|-][^\s`]*)", text)
        if flag.startswith("--") and flag not in ("--help", "--version"):
            found[flag] = Knob(flag.lstrip("-"), (flag,), switch=shown is None and "`" + flag + "`" in text)
    return list(found.values())
