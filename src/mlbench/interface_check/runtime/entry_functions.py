"""Recognise a call of a program's main function, which starts the program.

The main function is called under `if __name__ == "__main__"`, or declared as a console script. It does not run, because
its arguments are all that the check needs.
"""

from __future__ import annotations

import argparse
import ast
import optparse
import os
import shlex
import sys
import types
from typing import TYPE_CHECKING, Any

from . import config_files, values
from .parsers.shared import spread
from .parsers.sys_argv import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SPACES = (argparse.Namespace, optparse.Values, types.SimpleNamespace)
_LITERAL = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.JoinedStr)
_PLAIN = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return, ast.Raise)


def main_function(tree: ast.Module) -> str:
    """The function that a module's main guard calls or hands to a library; empty if there is none."""
    own = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    found = ""
    for node in tree.body:
        if not isinstance(node, ast.If) or not _is_guard(node.test):
            continue
        steps = [part for step in node.body for part in ast.walk(step) if isinstance(part, _PLAIN)]
        for step in sorted(steps, key=lambda part: part.lineno):
            found = _outermost(step, own) or found
    return found


def _is_guard(test: ast.expr) -> bool:
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    names = {getattr(side, "id", getattr(side, "value", None)) for side in sides}
    return names == {"__name__", "__main__"}


def _outermost(step: ast.AST, own: set[str]) -> str:
    for part in ast.walk(step):  # outermost first
        if isinstance(part, ast.Call):
            if any(isinstance(each, _LITERAL) for each in part.args):
                continue  # an example of a function's use
            for each in (part.func, *part.args):
                if isinstance(each, ast.Name) and each.id in own:
                    return each.id
    return ""


def start(frame: types.FrameType, root: str, last: Mapping[str, Any] | None, script: str = "") -> dict[str, Any] | None:
    """Return what a call of a main function starts; None if the call is another use of it.

    Args:
        frame: the frame of the call.
        root: the repository's folder.
        last: the last report of the repository's parsers in this process.
        script: the console script with this function.

    Returns:
        `text`, a shell line, if the function parses a command line; else `program` and its `configuration`.
    """
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    given = [frame.f_locals[name] for name in code.co_varnames[:count] if name in frame.f_locals]
    spaces = [one for one in given if isinstance(one, SPACES)]
    program = os.path.relpath(code.co_filename, root)
    if len(spaces) == 1:
        return {"program": program, "cwd": os.getcwd(), **_configuration(vars(spaces[0]), last or {})}
    if _by_library(frame) and last is not None:
        return {"program": program, "cwd": os.getcwd(), **{name: last[name] for name in _FIELDS}}
    words = next((one for one in given if isinstance(one, (list, tuple))), None)
    if words is None and any(one is not None for one in given):
        return None
    words = sys.argv[1:] if words is None else list(words)
    if not all(isinstance(word, str) for word in words):
        return None
    module = str(frame.f_globals.get("__name__", ""))
    name = [script] if script else ["python", "-m", module] if "." in module else ["python", code.co_filename]
    return {"text": shlex.join([*name, *words]), "cwd": os.getcwd(), "env": _path(root), "call": True}


_FIELDS = ("configuration", "given", "options")


def _configuration(held: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """Report a namespace as a parser would. A setting that was changed later counts as given."""
    parsed, held = last.get("configuration", {}), spread(dict(held))
    held = {name: value for name, value in held.items() if name in parsed} or held  # a program may add attributes
    shown = {str(name): values.encode(value) for name, value in held.items()}
    given = [
        name for name in shown if name in last.get("given", ()) or name not in parsed or parsed[name] != shown[name]
    ]
    more = config_files.settings(held, given)
    return {
        "configuration": {**shown, **{name: values.encode(value) for name, value in more.items()}},
        "given": given,
        "options": {name: each for name, each in last.get("options", {}).items() if name in shown},
    }


def _by_library(frame: types.FrameType) -> bool:
    """Whether a parser library is the caller, which has already parsed the command line."""
    caller = frame.f_back
    return caller is not None and str(caller.f_globals.get("__name__", "")).partition(".")[0] in LIBRARIES


def _path(root: str) -> dict[str, str]:
    """PYTHONPATH that gives the program the candidate's module search path."""
    known = os.environ.get("PYTHONPATH", "").split(":")
    inside = [os.path.abspath(path) for path in sys.path if os.path.abspath(path).startswith(root)]
    more = [path for path in inside if path not in known and path != os.getcwd()]
    return {"PYTHONPATH": ":".join(dict.fromkeys([*more, *filter(None, known)]))} if more else {}


def asked_by(frame: types.FrameType | None, file: str, neutral: Iterable[str]) -> bool:
    """Whether the code of `file` is the caller, with only neutral files in between.

    A file is neutral if its path starts with one of `neutral`, or belongs to a parser library.
    """
    places = tuple(neutral)
    while frame is not None:
        name = frame.f_code.co_filename
        if name == file:
            return True
        library = str(frame.f_globals.get("__name__", "")).partition(".")[0] in LIBRARIES
        if not library and (not name.startswith(places) or "site-packages" in name):
            return False
        frame = frame.f_back
    return False
