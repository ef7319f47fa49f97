"""Finds the values in a task's code: words of a command line, literals of Python calls.

Spans are bytes of the code as UTF-8, as tree-sitter and `ast` count them. Positional words and some literals have no
destination yet: the interface check finds it by changing them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import tree_sitter

from mlbench.records import Invocation, OptionSchema
from mlbench.shell.languages import parse_python, parse_shell
from mlbench.suite_builder.arguments.spanned_command import LOOPS, SpannedCommand, command_of, literal

_NUMBER = re.compile(r"-?(?:\d|\.\d)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OVERRIDE = re.compile(r"(\+{0,2}[A-Za-z_][\w.]*)=(.+)", re.DOTALL)
MOST = 40
SCALARS = (bool, int, float, str)


@dataclass(frozen=True)
class Slot:
    """A value in the code.

    Attributes:
        place: the destination; empty if only the check can tell.
        name: its name in the code: option, keyword, variable.
        option: the option string as written; empty for a positional and in Python.
        words: as the shell reads them; in Python the text of a string, or the source of another literal.
        switch: whether the span is the option itself.
        variable: whether it is a shell variable or Python name, which several destinations may follow.
        target: the Python name that the call's result is assigned to.
    """

    place: str
    name: str
    option: str
    span: tuple[int, int]
    words: tuple[str, ...]
    switch: bool = False
    variable: bool = False
    target: str = ""


def shell_slots(code: str, invocation: Invocation) -> list[Slot]:
    """The values on the program's command line, then those of variables with a literal value."""
    command = command_of(code, invocation)
    if command is None:
        return []
    table = {option: place for place, options in invocation.options.items() for option in options}
    schema = {each.place: each for each in invocation.schema}
    slots: list[Slot] = []
    # `epoch=0-step=3.ckpt`, where the parser takes a file, is no setting
    lists = lists_of_settings(invocation.configuration, invocation.given)
    given = [
        value
        for place, value in invocation.configuration.items()
        if not invocation.options.get(place) and place not in lists
    ]
    whole = [_as_path(each) for value in given for each in (value if isinstance(value, list) else [value])]
    words = list(command.words)
    while words and len(slots) < MOST:
        word = words.pop(0)
        text = literal(word)
        name, glue, _ = (text or "").partition("=")
        source = (word.text or b"").decode(errors="replace")
        if text is None and (ahead := re.match(r"(--?[A-Za-z][\w-]*)$", source)):
            name = ahead[1]
        place = _place_of(name, table) if _is_option(name) else ""
        if _is_option(name):
            if glue:
                value = word.start_byte + len(source[: source.index("=") + 1].encode())
                slots.append(Slot(place, name, name, (value, word.end_byte), (text.partition("=")[2],)))  # type: ignore[union-attr]
                continue
            if place in lists:
                continue  # its words are settings of their own
            taken = _taken(schema.get(place), invocation, place, words) if place else 0
            values, words = words[:taken], words[taken:]
            read = [literal(each) for each in values]
            if not place or None in read:
                continue
            if values:
                span = (values[0].start_byte, values[-1].end_byte)
                slots.append(Slot(place, name, name, span, tuple(str(each) for each in read)))
            else:
                slots.append(Slot(place, name, name, (word.start_byte, word.end_byte), (name,), switch=True))
        elif text is not None and (pair := _OVERRIDE.fullmatch(text)) and "=" in source and _as_path(text) not in whole:
            if source[0] in "'\"":
                continue  # the quotes belong to the whole word: `'experiment=glob(*)'`
            value = word.start_byte + len(source[: source.index("=") + 1].encode())
            name = pair[1].lstrip("+")
            place = _setting(name, lists, invocation).replace(":", ".", 1)  # such a list is compared by its settings
            slots.append(Slot(place, name, pair[1] + "=", (value, word.end_byte), (pair[2],)))
        elif text and words and (place := _setting(text, lists, invocation)):
            after = words.pop(0)
            if (said := literal(after)) is not None:
                slots.append(Slot(place, text, text, (after.start_byte, after.end_byte), (said,)))
        elif text:
            slots.append(Slot("", "", "", (word.start_byte, word.end_byte), (text,)))
    return _with_lists(slots, invocation) + list(_variables(code, command))


def _setting(name: str, lists: Sequence[str], invocation: Invocation) -> str:
    """The destination of a setting in one of the lists; empty if it is none."""
    return next((f"{each}:{name}" for each in lists if f"{each}:{name}" in invocation.configuration), "")


def lists_of_settings(configuration: Mapping[str, object], given: Iterable[str]) -> list[str]:
    """The given destinations whose words the check reads as settings: `opts` of `model=vit lr=0.1`, or of `LR 0.1`.

    A file such as `epoch=0-step=3.ckpt` is none.

    Args:
        configuration: values by destination, with those of settings as `opts:model`.
        given: the destinations that the command sets.
    """
    found: dict[str, list[object]] = {}
    for name, value in configuration.items():
        whole, is_part, _ = name.partition(":")
        if is_part:
            found.setdefault(whole, []).append(value)
    return [
        name
        for name in given
        if isinstance(configuration.get(name), list) and found.get(name) and not any("=" in str(v) for v in found[name])
    ]


def _with_lists(slots: Sequence[Slot], invocation: Invocation) -> list[Slot]:
    """The slots with one for all words of a positional list: `demucs one.mp3 two.mp3`."""
    found = list(slots)
    for place, value in invocation.configuration.items():
        if place not in invocation.given or invocation.options.get(place) or not isinstance(value, list) or not value:
            continue
        wanted = [_as_path(each) for each in value]
        free = [at for at, slot in enumerate(found) if not slot.place and not slot.name]
        for at in free:
            run = found[at : at + len(wanted)]
            if any(each.place or each.name for each in run) or [_as_path(*each.words) for each in run] != wanted:
                continue
            words = tuple(each.words[0] for each in run)
            found[at : at + len(wanted)] = [Slot(place, "", "", (run[0].span[0], run[-1].span[1]), words)]
            break
    return found


def _as_path(value: object) -> str:
    """A word or a recorded value as `pathlib` spells it: `./a.mp3` is `a.mp3`."""
    text = str(value.get("value", "") if isinstance(value, dict) else value)
    return text.removeprefix("./") if "://" not in text else text


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1 and not _NUMBER.match(word)


def _place_of(name: str, table: Mapping[str, str]) -> str:
    """The destination of an option string, which may be shortened or have one dash."""
    if name in table:
        return table[name]
    if name.startswith("-") and "-" + name in table:
        return table["-" + name]
    near = {place for option, place in table.items() if name.startswith("--") and option.startswith(name)}
    return near.pop() if len(near) == 1 else ""


def _taken(option: OptionSchema | None, invocation: Invocation, place: str, words: list[tree_sitter.Node]) -> int:
    """How many of the following words are the option's values."""
    free = 0
    while free < len(words) and not _is_option(literal(words[free]) or ""):
        free += 1
    if option is None:
        return 0 if isinstance(invocation.configuration.get(place), bool) else min(free, 1)
    if option.switch or (invocation.parser == "absl.flags" and option.type == "bool"):
        return 0
    if option.nargs in ("*", "+"):
        return free
    if option.nargs == "...":  # argparse.REMAINDER
        return len(words)
    return min(free, int(option.nargs) if option.nargs.isdigit() else 1)


def _variables(code: str, command: SpannedCommand) -> Iterator[Slot]:
    """Variables that the command uses and that get one literal word before it."""
    used = set()
    for word in command.words:
        used |= set(re.findall(r"\$\{?([A-Za-z_]\w*)", (word.text or b"").decode(errors="replace")))
    todo = [parse_shell(code).root_node]
    while todo:
        node = todo.pop()
        if node.type == "variable_assignment" and node.start_byte < command.start:
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            called = (name.text or b"").decode() if name is not None else ""
            if value is not None and called in used and (text := literal(value)):
                used.discard(called)
                yield Slot("", called, "", (value.start_byte, value.end_byte), (text,), variable=True)
        elif node.type not in LOOPS:
            todo += reversed(node.children)


def python_slots(code: str) -> list[Slot]:
    """The literals in calls and simple assignments, in the order of the text."""
    _, tree = parse_python(code)
    if tree is None:
        return []
    lines = [0]
    for line in code.encode().split(b"\n"):
        lines.append(lines[-1] + len(line) + 1)
    slots = []
    targets = _targets(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not _is_beside(node):
            named = [(keyword.arg or "", keyword.value) for keyword in node.keywords]
            for name, value in [("", value) for value in node.args] + named:
                if slot := _literal_slot(name, value, code, lines, variable=False):
                    slots.append(replace(slot, target=targets.get(node, "")))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            slot = _literal_slot(node.targets[0].id, node.value, code, lines, variable=True)
            slots += [slot] if slot else []
    return sorted(slots, key=lambda slot: slot.span)[:MOST]


def _targets(tree: ast.AST) -> dict[ast.expr, str]:
    """The names that results of calls are assigned to."""
    return {
        node.value: node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }


def _literal_slot(name: str, value: ast.expr, code: str, lines: list[int], *, variable: bool) -> Slot | None:
    try:
        found = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    is_list = isinstance(found, list | tuple) and found and all(isinstance(one, int | float | str) for one in found)
    if not (isinstance(found, SCALARS) or is_list) or found == "" or value.end_lineno is None:
        return None
    start = lines[value.lineno - 1] + value.col_offset
    end = lines[value.end_lineno - 1] + (value.end_col_offset or 0)
    word = found if isinstance(found, str) else code.encode()[start:end].decode()
    return None if "\n" in word else Slot("", name, "", (start, end), (word,), variable=variable)


_BESIDE = {
    "print",
    "open",
    "len",
    "range",
    "input",
    "set_printoptions",
    "manual_seed",
    "min",
    "max",
    "join",
    "split",
    "format",
}


def _is_beside(call: ast.Call) -> bool:
    """Whether a call has no argument of the repository's, such as printing."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return name in _BESIDE


def call_end(code: str, function: str) -> tuple[int, bool, bool] | None:
    """Where a keyword can be added to the only call of a function.

    Returns:
        The byte before the closing parenthesis, whether the call has arguments, and whether a comma ends them.
    """
    _, tree = parse_python(code)
    name = function.rpartition(".")[2]
    calls = [
        node
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Call)
        and (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")) == name
    ]
    if len(calls) != 1 or calls[0].end_lineno is None or any(keyword.arg is None for keyword in calls[0].keywords):
        return None
    data = code.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    end = starts[calls[0].end_lineno - 1] + (calls[0].end_col_offset or 0) - 1
    before = data[:end].rstrip()
    return len(before), bool(calls[0].args or calls[0].keywords), before.endswith(b",")
