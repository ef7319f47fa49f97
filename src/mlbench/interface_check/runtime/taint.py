"""Decide whether an exception is the program's own, or due to a stub that stood in for a missing module."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import itertools
import re
import sys
import types
from typing import Any

from . import refusals, stubs
from .failures import clash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .import_scope import ImportScope

_WORD = re.compile(r"[A-Za-z][\w.-]*")
_WANTED = re.compile(r"cannot import name '(\w+)'")
_KEYWORD = re.compile(r"([\w.<>]+)\(\) got an unexpected keyword argument '(\w+)'")
_NETWORK = {"URLError", "gaierror", "ConnectionError", "MaxRetryError", "ConnectionRefusedError"}
_KEYS = 200  # keys of a mapping that are looked at
_ANNOTATION = re.compile(r"^Invalid annotation for .*<[\w.()\[\]]+> is not a class")
_COMPILED = re.compile(r"\w\.(so|dylib|dll|pyd)\b")


class Taint:
    """The statements that failed on stubs so far, and the judgement about each exception.

    Attributes:
        sources: text by file, after repairs.
        first_error: the first exception of a statement that failed on a stub.
        failed_names: by file, the names that the failed statements would have bound.
        star_imports: by file, the builtins of the module, which know its `import *`.
    """

    def __init__(self, recorder: Any, scope: ImportScope) -> None:
        self.recorder, self.scope = recorder, scope
        self.sources: dict[str, str] = {}
        self.first_error: BaseException | None = None
        self.failed_names: dict[str, set[str]] = {}
        self.star_imports: dict[str, Any] = {}

    def record(self, error: BaseException, path: str, names: list[str]) -> None:
        """Note that a statement failed on a stub, with the names that it would have bound."""
        self.first_error = self.first_error or error
        self.failed_names.setdefault(path, set()).update(names)

    def source(self, path: str) -> str:
        """The text of a file.

        Raises:
            OSError, UnicodeDecodeError, SyntaxError: the file cannot be read or decoded.
        """
        if path not in self.sources:
            with open(path, "rb") as file:
                self.sources[path] = importlib.util.decode_source(file.read())
        return self.sources[path]

    def certain(self, error: BaseException | None) -> bool:
        """Whether a failed import or call would also fail with the real modules."""
        if isinstance(error, TypeError):
            return self._binds_nowhere(str(error))
        wanted = _WANTED.match(str(error)) if isinstance(error, ImportError) else None
        module_builtins = self.star_imports.get(getattr(error, "path", None) or "")
        if wanted is None or module_builtins is None or wanted[1] in self.failed_names.get(error.path, ()):  # type: ignore[union-attr]
            return False
        # `import *` brings no name that starts with an underscore
        return wanted[1].startswith("_") or not module_builtins.from_stub()

    def _binds_nowhere(self, message: str) -> bool:
        """Whether the repository's loaded functions of this name all lack this keyword."""
        found = _KEYWORD.match(message)
        if found is None:
            return False
        functions = [
            value
            for module in list(sys.modules.values())
            if str(getattr(module, "__file__", "")).startswith(self.recorder.root)
            for value in list(vars(module).values())
            if isinstance(value, types.FunctionType) and value.__qualname__ == found[1]
        ]
        taken = [value.__code__ for value in functions if not hasattr(value, "__wrapped__")]
        return bool(taken) and not any(
            code.co_flags & inspect.CO_VARKEYWORDS
            or found[2] in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            for code in taken
        )

    def tainted(self, error: BaseException) -> bool:
        """Whether a stub probably caused an exception, which the real module would not have."""
        if clash(error):
            return False
        if isinstance(error, NameError) and self.first_error is not None:
            return True  # the statement that failed on stubs may be the one that defines it
        if any(map(self.through_stub, refusals.chain(error))):
            return True
        if isinstance(error, AttributeError) and is_decorated(getattr(error, "obj", None)):
            return True  # the real decorator returns an object of its own, with this attribute
        if type(error).__name__ == "PackageNotFoundError":
            return self.scope.stubs_allowed
        if is_network(error):
            return self.scope.stubs_allowed  # it downloads something before it parses
        if _COMPILED.search(str(error)) or type(error).__name__ == "UnpicklingError":
            return self.scope.stubs_allowed  # a compiled part is missing, or a pickle needs a missing module
        if isinstance(error, SyntaxError) or not self.scope.stubs_allowed:
            return False
        if isinstance(error, SystemExit):
            return bool(self.recorder.tested > 0)
        last = None
        for trace in refusals.steps(error):
            if trace.tb_frame.f_code.co_filename.startswith(self.recorder.root):
                last = trace
        if last is not None and stubs.versions and self.recorder.last is None and self._is_of_version(last):
            return True  # before any parse: nobody knows which version of the library would be there
        if isinstance(error, ImportError):
            return False
        if last is None:
            return False
        if self.recorder.tested and self._line(last).lstrip().startswith(("raise", "assert")):
            return True  # raised on purpose, perhaps because of a stub's value
        held = last.tb_frame.f_locals.values() if last.tb_frame.f_code.co_name != "<module>" else ()
        return any(stubs.is_stub(value) for value in held)

    def _is_of_version(self, trace: types.TracebackType) -> bool:
        """Whether a line refuses a version: `assert MIN <= mmcv_version <= MAX`."""
        line = self._line(trace).strip()
        return line.startswith(("raise", "assert")) and "version" in line.lower()

    def through_stub(self, error: BaseException) -> bool:
        """Whether a stub was used where an exception was raised, or on a repository line that it passed."""
        if stubs.is_stub(error) or "Stub" in str(error) or is_nowhere(error):
            return True
        if self.scope.stubs_allowed and _dispatches(error):
            return True
        if isinstance(error, (SyntaxError, SystemExit, ImportError)) or not self.scope.stubs_allowed:
            return False
        root = self.recorder.root
        keys = isinstance(error, KeyError)
        return any(
            trace.tb_frame.f_code.co_filename == stubs.__file__
            or (trace.tb_frame.f_code.co_filename.startswith(root) and self._line_on_stubs(trace, keys))
            for trace in refusals.steps(error)
        )

    def refuses(self, error: BaseException) -> bool:
        """Whether the program's own code refuses its arguments without a stub's part; see refusals.py."""
        if any(map(self.through_stub, refusals.chain(error))):
            return False
        words = [str(word) for word in sys.argv[1:]]
        return refusals.on_purpose(error, self.recorder.root) or (
            self.recorder.by_hand and refusals.names_words(error, self.recorder.root, words)
        )

    def _line(self, trace: types.TracebackType) -> str:
        try:
            lines = self.source(trace.tb_frame.f_code.co_filename).splitlines()
        except (OSError, UnicodeDecodeError, SyntaxError):
            return ""
        return lines[trace.tb_lineno - 1] if trace.tb_lineno <= len(lines) else ""

    def _line_on_stubs(self, trace: types.TracebackType, keys: bool = False) -> bool:
        """Whether a line uses a stub; with `keys`, also whether it uses a mapping with a stub among its keys."""
        frame = trace.tb_frame
        for word in set(_WORD.findall(self._line(trace).replace(".", " "))):
            value = frame.f_locals.get(word, frame.f_globals.get(word))
            if value is not None and (stubs.is_stub(value) or (keys and _has_stub_keys(value))):
                return True
        return False


def is_decorated(value: Any) -> bool:
    """Whether a stub, as a decorator, returned this function."""
    return isinstance(value, types.FunctionType) and value in stubs.decorated


def _dispatches(error: BaseException) -> bool:
    """Whether `functools.singledispatch` refuses a class of a missing library; others may raise the same words."""
    if not isinstance(error, TypeError) or _ANNOTATION.search(str(error)) is None:
        return False
    *_, last = [None, *refusals.steps(error)]
    return last is not None and last.tb_frame.f_code.co_filename == functools.__file__


def is_nowhere(error: BaseException) -> bool:
    """Whether an exception names the path of a stub, which no word of the command line has."""
    return stubs.NOWHERE in str(error) and not any(stubs.NOWHERE in word for word in sys.argv[1:])


def is_network(error: BaseException) -> bool:
    """Whether an exception means that there is no network."""
    return isinstance(error, OSError) and type(error).__name__ in _NETWORK


def _has_stub_keys(value: Any) -> bool:
    return type(value) is dict and any(map(stubs.is_stub, itertools.islice(value, _KEYS)))
