"""An example of Python code with the values that are wanted: the constants in its calls are edited, by their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.scripted_agent.matching import Told, assigned
from tests.scripted_agent.programs import Knob

_ARRAYS = ("randn", "rand", "zeros", "ones")


@dataclass(frozen=True)
class Slot:
    """A constant in an example: the parameter that it is for, its function, and where it stands."""

    knob: Knob
    function: str
    value: str
    node: ast.expr
    keyword: bool


def imported(code: str) -> list[str]:
    """The modules that an example imports and that are not the standard library's or numpy."""
    found = re.findall(r"^\s*(?:from|import) ([\w.]+)(?: import \(?([^\n)#]+))?", code, re.M)
    names = [
        each for module, names in found for each in (module, *(f"{module}.{n}" for n in re.findall(r"\w+", names)))
    ]
    return [name for name in names if name.split(".")[0] not in ("numpy", "sys")]


def signatures(text: str) -> dict[str, dict[str, str]]:
    """The parameters and their defaults of every function in Python sources, a class by its `__init__`."""
    found: dict[str, dict[str, str]] = {}
    owner = ""
    for match in re.finditer(r"^([ \t]*)(class|def) (\w+)(\((?:[^()]|\([^()]*\))*\))?", text, re.M):
        indent, what, name, listed = match.groups()
        if what == "class":
            owner = name
            continue
        parameters = _parameters(listed or "()")
        if name == "__init__" and indent:
            found[owner] = parameters
        else:
            found.setdefault(name, parameters)
    return found


def vocabularies(text: str) -> list[tuple[str, ...]]:
    """The strings that stand together in a source: what a tuple, list or set holds, the keys of a dictionary."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return []
    found = []
    for node in nodes:
        items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else getattr(node, "keys", [])
        words = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        if len(words) > 1 and len(words) == len(items):
            found.append(tuple(words))
    return found


def _choices(value: str, vocabulary: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The strings that stand with a value in a source."""
    return next((tuple(words) for words in vocabulary if value in words), ())


def _parameters(listed: str) -> dict[str, str]:
    try:
        tree = ast.parse(f"def f{listed}: pass").body[0]
    except SyntaxError:
        return {}
    assert isinstance(tree, ast.FunctionDef)
    names = [a.arg for a in [*tree.args.posonlyargs, *tree.args.args]]
    defaults = [""] * (len(names) - len(tree.args.defaults)) + [ast.unparse(d) for d in tree.args.defaults]
    pairs = dict(zip(names, defaults, strict=True))
    only = zip(tree.args.kwonlyargs, tree.args.kw_defaults, strict=True)
    pairs |= {a.arg: ast.unparse(d) if d else "" for a, d in only}
    return {name: default for name, default in pairs.items() if name != "self"}


def program(
    code: str,
    known: Mapping[str, Mapping[str, str]],
    instruction: str,
    documents: str,
    files: Sequence[str],
    told_back: Told | None = None,
    vocabulary: Sequence[Sequence[str]] = (),
) -> str:
    """The example's code as the instruction wants it; as it is where it cannot be parsed.

    Args:
        code: the example.
        known: the signatures of the functions that it may call.
        instruction: what is asked for.
        documents: the text in which parameters and values are described.
        files: the repository's, for values that are paths.
        told_back: what came of earlier drafts.
        vocabulary: strings that stand together in the sources: what else a string may be.
    """
    try:
        code = _renamed(_to_first_print(code), known)
        tree = ast.parse(code)
    except SyntaxError:
        return code
    slots = _slots(tree, known, documents, vocabulary)
    fixed = {slot.value for slot in slots if slot.keyword and re.fullmatch(r"\d\d+", slot.value)}
    linkable = [slot for slot in slots if not slot.keyword and slot.function in _ARRAYS and slot.value in fixed]
    slots = [slot for slot in slots if slot not in linkable]
    knobs = [slot.knob for slot in slots] + _absent(known, slots, vocabulary)
    shown = {slot.knob.name: slot.value for slot in slots}
    values = assigned(knobs, instruction, documents, shown, files, told_back or Told())
    texts = re.findall(r"\"([^\"]+)\"", instruction)
    edits: list[tuple[ast.expr, str]] = []
    given = sorted((slot for slot in slots if slot.knob in values), key=lambda slot: not slot.keyword)
    linked = {slot.value: values[slot.knob] for slot in reversed(given) if re.fullmatch(r"\d\d+", slot.value)}
    for slot in slots:
        quote = isinstance(slot.node, ast.Constant) and isinstance(slot.node.value, str)
        if quote and " " in slot.value and texts:
            edits.append((slot.node, repr(texts.pop(0))))
        elif slot.knob in values:
            value = values[slot.knob]
            if slot.knob.switch:
                value = str(value == "on")
            edits.append((slot.node, repr(value) if quote else value))
        elif slot.knob.default and slot.keyword and not slot.knob.switch and slot.knob.default != slot.value:
            edits.append((slot.node, repr(slot.knob.default) if quote else slot.knob.default))
    edits += [(slot.node, linked[slot.value]) for slot in linkable if slot.value in linked]
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.Assign) and texts):
        if isinstance(node.value, ast.Constant) and " " in str(node.value.value):
            edits.append((node.value, repr(texts.pop(0))))
    for items in (n for n in ast.walk(tree) if isinstance(n, ast.List) and texts):
        if items.elts and all(isinstance(e, ast.Constant) and " " in str(e.value) for e in items.elts):
            edits.append((items, repr([texts.pop(0)])))
    return _replaced(_extended(code, tree, slots, knobs, values), edits)


def _extended(
    code: str, tree: ast.Module, slots: Sequence[Slot], knobs: Sequence[Knob], values: Mapping[Knob, str]
) -> str:
    """The code with the keywords that the example does not give; behind all others, so that no place before moves."""
    shown = [slot.knob for slot in slots]
    lines = code.split("\n")
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        new = [k for k in knobs if k not in shown and k.words == function and values.get(k, k.default) != k.default]
        if not new or call.end_lineno is None or call.end_col_offset is None or call.lineno != call.end_lineno:
            continue
        line = lines[call.end_lineno - 1].encode()
        words = "".join(f", {k.name}={_literal(values[k], k)}" for k in new)
        at = call.end_col_offset - 1
        lines[call.end_lineno - 1] = (line[:at] + words.encode() + line[at:]).decode()
    return "\n".join(lines)


def _literal(value: str, knob: Knob) -> str:
    if knob.switch:
        return str(value == "on")
    return value if re.fullmatch(r"-?[\d.]+(?:e-?\d+)?", value) else repr(value)


def _renamed(code: str, known: Mapping[str, Mapping[str, str]]) -> str:
    """Keywords that a function does not have get the name of the parameter that begins like them."""
    for call in (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)):
        has = known.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
        for keyword in call.keywords if has else ():
            if keyword.arg and has and keyword.arg not in has:
                free = [name for name in has if name not in [k.arg for k in call.keywords]]
                same = [name for name in free if name[0].lower() == keyword.arg[0].lower()]
                if same:
                    code = re.sub(rf"\b{keyword.arg}=", f"{same[0]}=", code)
    return code


def _to_first_print(code: str) -> str:
    """Without what an example shows after it has printed something: that is another story."""
    body = ast.parse(code).body
    for statement in body:
        if isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("print("):
            return "\n".join(code.split("\n")[: statement.end_lineno])
    return code


def _slots(
    tree: ast.Module, known: Mapping[str, Mapping[str, str]], documents: str, vocabulary: Sequence[Sequence[str]]
) -> list[Slot]:
    slots = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        names = list(known.get(name, {})) or _axes(name, len(call.args), documents)
        for position, argument in enumerate(call.args):
            if isinstance(argument, ast.Constant) and position < len(names):
                slots.append(_slot(names[position], name, argument, known, vocabulary, keyword=False))
        for keyword in call.keywords:
            if keyword.arg and isinstance(keyword.value, ast.Constant | ast.List | ast.UnaryOp):
                slots.append(_slot(keyword.arg, name, keyword.value, known, vocabulary, keyword=True))
    return slots


def _slot(
    name: str,
    function: str,
    node: ast.expr,
    known: Mapping[str, Mapping[str, str]],
    vocabulary: Sequence[Sequence[str]],
    *,
    keyword: bool,
) -> Slot:
    value = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
    switch = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    default = known.get(function, {}).get(name, "").strip("\"'")
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    choices = _choices(value, vocabulary) if text else ()
    knob = Knob(name, (name,), function, choices, switch, required=True, default=default)
    return Slot(knob, function, value, node, keyword)


def _axes(function: str, count: int, documents: str) -> list[str]:
    """What the axes of a random array are, as the documents write shapes of so many."""
    if function == "default_rng":
        return ["seed"]
    if function not in _ARRAYS:
        return []
    for found in re.findall(r"\((batch[\w, ]+)\)", documents):
        names = [name.strip() for name in found.split(",")]
        if len(names) == count:
            return names
    return []


def _absent(
    known: Mapping[str, Mapping[str, str]], slots: Sequence[Slot], vocabulary: Sequence[Sequence[str]]
) -> list[Knob]:
    """Parameters with a default that the example does not give."""
    given = {(slot.function, slot.knob.name) for slot in slots}
    taken = {slot.knob.name for slot in slots}
    found = []
    for function in {slot.function for slot in slots}:
        for name, default in known.get(function, {}).items():
            if default and (function, name) not in given and name not in taken:
                switch, bare = default in ("True", "False"), default.strip("\"'")
                choices = _choices(bare, vocabulary) if bare != default else ()
                found.append(Knob(name, (name,), function, choices, switch, default=bare))
    return found


def _replaced(code: str, edits: Sequence[tuple[ast.expr, str]]) -> str:
    lines = [line.encode() for line in code.split("\n")]
    for node, text in sorted(edits, key=lambda edit: (-edit[0].lineno, -edit[0].col_offset)):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines[first : last + 1] = [lines[first][: node.col_offset] + text.encode() + lines[last][node.end_col_offset :]]
    return b"\n".join(lines).decode()
