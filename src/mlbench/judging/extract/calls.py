"""Read tool calls in JSON or XML, as OpenAI, Anthropic, Hermes and others write them."""

from __future__ import annotations

import ast
import html
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mlbench.judging.extract.blocks import ReplyBlock
from mlbench.shell.languages import LONGEST, looks_like_shell, parse_python

_SHELL = "command cmd commands bash shell bash_command shell_command command_line keystrokes"
_SHELL_KEYS = tuple(_SHELL.split())
_PYTHON_KEYS = ("python", "python_code")
_CODE_KEYS = ("code", "script", "answer", "final_answer", "solution", "action_input", "source_code")
_TEXT_KEYS = ("file_text", "content", "contents", "text")
_PATH_KEYS = ("path", "file_path", "filename", "file_name", "file")
_INNER = (
    "tool_calls function_call function arguments input parameters args params content steps actions action calls"
    " commands messages choices message tool_input tool kwargs result response"
)
_INNER_KEYS = _INNER.split()
_PYTHON_TOOL = re.compile(r"python|jupyter|ipython|notebook|code_interpreter", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_BROKEN = re.compile(
    rf'"({"|".join((*_SHELL_KEYS, *_PYTHON_KEYS))})"\s{{0,20}}:\s{{0,20}}"((?:[^"\\]|\\.){{1,{LONGEST}}}+)("|\Z)',
    re.DOTALL,
)
_DEEPEST = 12
_PARAMETER = re.compile(
    r"<(?:\w+:)?parameter(?:=|\s+name=)[\"']?([\w-]+)[\"']?[^<>\n]{0,80}>|<arg_key>([\w-]+)</arg_key>"
)
_PARAMETER_END = re.compile(r"</(?:\w+:)?parameter>|</arg_value>")
_OLD_NAME = re.compile(r"<tool_name>\s*([\w-]+)\s*</tool_name>")
_OLD_KEY = re.compile(rf"<({'|'.join((*_SHELL_KEYS, *_CODE_KEYS, *_PYTHON_KEYS))})>")


def unescape(text: str) -> str:
    """Resolve XML and HTML entities; without a semicolon it is no entity."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]).replace("\xa0", " "), text)


def json_at(text: str, start: int) -> tuple[Any, int] | None:
    """The JSON object or list at a position, and its end.

    Also a Python literal at the end of the text.
    """
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    rest = text[start:].strip()
    if len(rest) > LONGEST or not rest.endswith(("}", "]")):
        return None
    try:
        return ast.literal_eval(rest), len(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def json_calls(text: str, tool: str = "") -> list[ReplyBlock]:
    """The blocks in a text that is JSON or begins with it; none if it is other JSON."""
    begin = re.match(r"\s*(?=[{\[])", text)
    if begin is None:
        return []
    found = json_at(text, begin.end())
    return list(blocks_of(found[0], tool)) if found else _broken(text)


def _broken(text: str) -> list[ReplyBlock]:
    """The command in JSON that was cut or whose brackets do not close."""
    found = _BROKEN.search(text[:LONGEST])
    if found is None:
        return []
    try:
        code = json.loads(f'"{found[2]}"', strict=False)
    except ValueError:
        return []
    return [ReplyBlock(code, "python" if found[1] in _PYTHON_KEYS else "bash", "tool call", cut=not found[3])]


def blocks_of(value: Any, tool: str = "", depth: int = 0) -> Iterator[ReplyBlock]:
    """The blocks in parsed JSON: tool arguments, a list of calls, or an answer's code.

    Args:
        value: the parsed JSON.
        tool: the tool's name, if known.
        depth: of the nesting so far.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        if value.lstrip()[:1] in ("{", "["):
            inner = json_at(value, len(value) - len(value.lstrip()))
            yield from blocks_of(inner[0], tool, depth + 1) if inner else ()
        return
    if isinstance(value, list):
        if (code := _text(value)) and looks_like_shell(code):
            yield _block(code, "bash", tool)
        for each in value[:100]:
            if isinstance(each, dict):
                yield from blocks_of(each, tool, depth + 1)
        return
    if not isinstance(value, dict):
        return
    name = next(_strings(value, ("name", "tool_name", "tool", "recipient_name")), "")
    for key in ("function", "action"):
        name = name or (value[key] if isinstance(value.get(key), str) else "")
    if isinstance(cells := value.get("cells"), list):
        yield from _cells(cells)
        return
    if own := list(_own(value, name or tool)):
        yield from own
        return
    for key in _INNER_KEYS:
        inner = value.get(key)
        if (
            isinstance(inner, str)
            and key in ("arguments", "input", "args", "tool_input")
            and name
            and inner.strip()[:1] not in ("{", "")
        ):
            yield _block(inner, "", name)
        elif inner is not None:
            yield from blocks_of(inner, name or tool, depth + 1)


def _own(arguments: Mapping[str, object], tool: str) -> Iterator[ReplyBlock]:
    """The blocks directly in a call's arguments."""
    path = next(_strings(arguments, _PATH_KEYS), "")
    text = next(_strings(arguments, _TEXT_KEYS), None)
    if path and text is not None:
        yield ReplyBlock(text, path.rpartition(".")[2] if "." in path else "", "tool call", file=path)
        return
    if path:  # an editor that views or changes a file
        return
    for keys, label in ((_SHELL_KEYS, "bash"), (_PYTHON_KEYS, "python"), (_CODE_KEYS, "")):
        for key in keys:
            code = _text(arguments.get(key), arguments.get("args"))
            if code:
                language = arguments.get("language") or arguments.get("lang") or ""
                yield _block(code, label or str(language), tool)
                return


def _strings(values: Mapping[str, object], keys: Iterable[str]) -> Iterator[str]:
    return (found for key in keys if isinstance(found := values.get(key), str))


def _text(value: Any, more: Any = None) -> str:
    """A command from a string, from its words, or from a list of commands."""
    if isinstance(value, str):
        words = more if isinstance(more, list) and all(isinstance(word, str | int | float) for word in more) else []
        return " ".join([value, *(shlex.quote(str(word)) for word in words)]) if value.strip() else ""
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        return ""
    if len(value) == 3 and value[0].rpartition("/")[2] in ("bash", "sh", "zsh") and re.fullmatch(r"-\w*c", value[1]):
        return str(value[2])
    if len(value) == 1 or all(looks_like_shell(word) and " " in word for word in value):
        return "\n".join(value)
    return shlex.join(value)


def _block(code: str, label: str, tool: str) -> ReplyBlock:
    if not label and tool:
        label = "python" if _PYTHON_TOOL.search(tool) else "bash"
    elif label == "bash" and _PYTHON_TOOL.search(tool) and not looks_like_shell(code):
        label = "python"
    return ReplyBlock(code, label.lower(), "tool call")


_TOOL = re.compile(
    r"(?:execute_|run_|exec_)?(?:bash|shell|command|cmd|terminal)(?:_command|_tool|_exec)?", re.IGNORECASE
)


def shell_of_python_calls(code: str) -> str:
    """The commands of a tool call written as Python, `[bash(command="…")]`; else an empty text."""
    if len(code) > LONGEST or not _TOOL.search(code):
        return ""
    tree = parse_python(code)[1]
    commands = []
    for node in tree.body if tree else ():
        values = (
            node.value.elts
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.List)
            else [getattr(node, "value", None)]
        )
        for call in values:
            if (
                not isinstance(node, ast.Expr)
                or not isinstance(call, ast.Call)
                or not isinstance(call.func, ast.Name | ast.Attribute)
            ):
                return ""
            name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
            texts = [each for each in (*call.args, *(k.value for k in call.keywords)) if isinstance(each, ast.Constant)]
            if not _TOOL.fullmatch(name) or not texts or not isinstance(texts[0].value, str):
                return ""
            commands.append(texts[0].value)
    return "\n".join(commands)


def _cells(cells: list[Any]) -> Iterator[ReplyBlock]:
    """The code cells of a Jupyter notebook."""
    for cell in cells[:100]:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            code = "".join(map(str, source)) if isinstance(source, list) else str(source)
            if code.strip():
                yield ReplyBlock(code, "python", "notebook cell")


def xml_calls(text: str, tool: str = "") -> list[ReplyBlock]:
    """The blocks of one call with its arguments in tags.

    Example: `<parameter name="command">…</parameter>`.
    """
    arguments: dict[str, str] = {}
    position = 0
    while begin := _PARAMETER.search(text, position):
        end = _PARAMETER_END.search(text, begin.end())
        value = text[begin.end() : end.start() if end else len(text)]
        if begin[2]:
            value = value.lstrip().removeprefix("<arg_value>")
        arguments.setdefault(begin[1] or begin[2], unescape(value.strip("\n")))
        if end is None:
            break
        position = end.end()
    if arguments:
        return list(blocks_of({"name": tool, "input": arguments}))
    old = _OLD_NAME.search(text)
    if key := _OLD_KEY.search(text):
        end_at = text.find(f"</{key[1]}>", key.end())
        value = text[key.end() : end_at if end_at >= 0 else len(text)]
        return list(blocks_of({key[1]: unescape(value)}, old[1] if old else tool))
    return []
