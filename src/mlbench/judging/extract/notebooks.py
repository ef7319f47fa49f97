"""Notebook cells: rewrite `!command`, `%run`, `%%bash` and other magics as shell or Python."""

from __future__ import annotations

import ast
import re
from itertools import groupby

from mlbench.records import Kind
from mlbench.shell.languages import parse_python

_MAGIC = re.compile(r"^[ \t]*(?:!!?(?=[ \t]*[\w./$(\"'])|%%?\w)", re.M)
_CELL = re.compile(r"^%%(\w+)[ \t]*(.*)$")
_LINE = re.compile(r"^(\s*)%(\w+)[ \t]*(.*)$")
_SHELL_CELLS = ("bash", "sh", "shell", "system", "cmd", "script", "sx")
_SHELL_LINES = ("sh", "bash", "system", "sx", "shell", "sc")
_INSTALLS = ("pip", "pip3", "conda", "mamba", "uv", "apt", "apt-get")
_INSTALL = re.compile(rf"\s*(?:sudo\s+)?(?:{'|'.join(_INSTALLS)}|python3? -m pip)\s")

_Line = tuple[Kind, str]


def without_magics(code: str, label: Kind | None) -> tuple[str, Kind | None]:
    """A cell's code without magics, and its language if the cell says it.

    Shell with nothing but imports is shell. Shell beside Python becomes a call of `subprocess.run`; installations, and
    commands that only a notebook needs, are dropped.
    """
    if not _MAGIC.search(code) or parse_python(code)[1] is not None:
        return code, label
    if label == "shell" and not re.search(r"^[ \t]*(?:!\w|%\w)", code, re.M):
        return code, label  # `! grep -q x y` negates
    lines = _lines(code)
    python = "\n".join(text for kind, text in lines if kind == "python").strip("\n")
    shell = [text for kind, text in lines if kind == "shell"]
    if not shell:
        return python, "python"
    if not re.search(r"^[ \t]*[^#\s]", python, re.M):
        return "\n".join(text for _, text in lines), "shell"
    trivial = _as_shell(python)
    if trivial is not None and any(not _INSTALL.match(text) for text in shell):
        return "\n".join([*trivial, *shell]), "shell"
    return _as_python(lines), "python"


def _lines(code: str) -> list[_Line]:
    """Each line of a cell with its language; a continued line keeps its language."""
    lines: list[_Line] = []
    in_shell = goes_on = False
    for line in code.split("\n"):
        if goes_on:
            lines[-1] = ("shell", f"{lines[-1][1]}\n{line}")
            goes_on = line.rstrip().endswith("\\")
            continue
        cell = _CELL.match(line)
        if cell:
            in_shell = cell[1] in _SHELL_CELLS or (
                cell[1] == "writefile" and cell[2].strip().endswith((".sh", ".bash"))
            )
        elif in_shell:
            lines.append(("shell", line))
        elif re.match(r"^[ \t]*!", line):
            lines.append(("shell", line.lstrip().lstrip("!").lstrip()))
            goes_on = line.rstrip().endswith("\\")
        elif found := _LINE.match(line):
            command = _command(found[2], found[3])
            if command:
                lines.append(("shell", command))
                goes_on = line.rstrip().endswith("\\")
        else:
            lines.append(("python", line))
    return lines


def _command(magic: str, rest: str) -> str:
    """The shell command of a line magic; empty for one that only a notebook needs."""
    if magic == "run":
        rest = re.sub(r"^(?:-[ite]\s+)+", "", rest)
        return f"python {rest}"
    if magic in ("cd", "mkdir", "ls", "cat", "cp", "mv", "rm", *_INSTALLS):
        return f"{magic} {rest}".strip()
    if magic in ("env", "set_env"):
        name, _, value = rest.replace("=", " ", 1).partition(" ")
        return f"export {name.strip()}={value.strip()}" if value.strip() else ""
    return rest if magic in _SHELL_LINES else ""


def _as_shell(python: str) -> list[str] | None:
    """Python that only imports, changes the folder or sets variables, as shell.

    None if it does more.
    """
    tree = parse_python(python)[1]
    if tree is None:
        return None
    commands: list[str] = []
    for node in tree.body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Pass():
                pass
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("os"), "chdir"), [ast.Constant(str(folder))])):
                commands.append(f"cd {folder}")
            case ast.Assign(
                [ast.Subscript(ast.Attribute(ast.Name("os"), "environ"), ast.Constant(str(name)))],
                ast.Constant(str(value)),
            ):
                commands.append(f"export {name}={value}")
            case _:
                return None
    return commands


def _as_python(lines: list[_Line]) -> str:
    """A cell with both languages: each run of commands as one shell call, without installations."""
    kept = [line for line in lines if line[0] == "python" or not _INSTALL.match(line[1])]
    parts = []
    for kind, run in groupby(kept, key=lambda line: line[0]):
        text = "\n".join(line for _, line in run)
        if kind == "shell" and text.startswith("cd ") and "\n" not in text:
            text = f"__import__('os').chdir({text[3:].strip()!r})"
        elif kind == "shell":
            text = f"__import__('subprocess').run({text!r}, shell=True, check=True)"
        parts.append(text)
    return "\n".join(parts).strip("\n")
