"""Count and cut the loops of the repository's code, so that a check does not wait for a training.

Every function of the repository that has a loop counts its turns. When a call of the candidate has used up its turns,
the outermost function inside a loop returns at once. Its result is guessed from its text, and its callers continue:
`load_model` still returns its model if the `pretrain` that it calls is cut. Turns are counted instead of seconds, so
the outcome does not depend on the machine.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import os
import sys
import types
from typing import TYPE_CHECKING, Any

from .entry_functions import main_function
from .return_stub import ReturnStub

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LAP = 10  # cost of a turn of a loop statement; a turn of a comprehension costs 1
PER_CALL = 3000  # cost that one call of the candidate may use
IN_ALL = 10000  # cost that all calls may use together; after that only
AFTERWARDS = 300  # for each further call, and after a cut
PRECOMPILED = 60  # modules of a package that are compiled in advance
_KEY = os.urandom(8).hex()
TURN, CAUGHT, MINE, VALUE, STARTS = (f"_{word}{_KEY}" for word in ("turn", "caught", "mine", "value", "starts"))
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_CHANGING = {"append", "add", "update", "extend", "insert", "setdefault", "pop", "remove", "clear"}
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
Raises = dict[tuple[str, int], list[ast.expr]]
_SCALARS = (bool, int, float, str, bytes, type(None))


class LoopCut(BaseException):
    """Ends the function of `frame`."""

    def __init__(self, frame: types.FrameType) -> None:
        self.frame = frame


class Stop(BaseException):
    """Ends the candidate, because no function can be cut alone."""


class Shape:
    """The loops and return statements of a function's text."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.spans: list[tuple[int, int]] = []
        self.returns: list[ast.expr | None] = []
        self.assigned: dict[str, ast.expr] = {}
        self.attributes: list[tuple[int, str, ast.expr | None]] = []
        self.changed: set[str] = {me} if (me := node.args.args[0].arg if node.args.args else "") == "self" else set()
        self.annotation = node.returns
        for part in _own(node):
            if isinstance(part, _LOOPS):
                self.spans.append((part.lineno, part.end_lineno or part.lineno))
            elif isinstance(part, (ast.Attribute, ast.Subscript)) and isinstance(part.value, ast.Name):
                if isinstance(part.ctx, ast.Store) or getattr(part, "attr", "") in _CHANGING:
                    self.changed.add(part.value.id)
            elif isinstance(part, ast.Return):
                self.returns.append(part.value)
            elif isinstance(part, ast.Assign):
                for target in part.targets:
                    self._assign(part.lineno, target, part.value, me)

    def _assign(self, line: int, target: ast.expr, value: ast.expr | None, me: str) -> None:
        if isinstance(target, ast.Tuple):
            for one in target.elts:
                self._assign(line, one, None, me)
        elif isinstance(target, ast.Name) and value is not None:
            self.assigned[target.id] = value
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me:
            self.attributes.append((line, target.attr, value))

    def looping(self, line: int) -> bool:
        return any(first <= line <= last for first, last in self.spans)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function in the order of the text, without inner functions."""
    for part in ast.iter_child_nodes(node):
        yield part
        if not isinstance(part, _DEFINITIONS):
            yield from _own(part)


class _Counted(ast.NodeTransformer):
    def __init__(
        self, filename: str, shapes: dict[tuple[str, int, str], Shape], raises: Raises, main: frozenset[str]
    ) -> None:
        self.filename = filename
        self.shapes = shapes
        self.raises = raises
        self.main = main  # functions that start the program

    def _function(self, node: Any) -> Any:
        shape = Shape(node)
        first = node.decorator_list[0] if node.decorator_list else node
        self.shapes[self.filename, first.lineno, node.name] = shape
        starts = node in self.starting
        self.generic_visit(node)
        start = 0 if ast.get_docstring(node, clean=False) is None else 1
        if shape.spans and node.body[start:]:
            handler = f"if {MINE}(): return {VALUE}()"
            guard = _parsed(f"try: pass\nexcept {CAUGHT}:\n {handler}\n raise", node)
            guard.body = node.body[start:]
            node.body[start:] = [guard]
        if starts:
            node.body.insert(start, _parsed(f"if {STARTS}(): return {VALUE}()", node))
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def _loop(self, node: Any) -> Any:
        self.generic_visit(node)
        node.body.insert(0, _parsed(f"{TURN}({LAP})", node))
        return node

    visit_For = visit_AsyncFor = visit_While = _loop

    def _comprehension(self, node: Any) -> Any:
        self.generic_visit(node)
        node.generators[-1].ifs.insert(0, _parsed(f"{TURN}()", node).value)
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Module(self, node: ast.Module) -> Any:
        self._note_raises(node.body, [])
        main = {*self.main, main_function(node)}
        self.starting = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name in main]
        return self.generic_visit(node)

    def _note_raises(self, body: list[ast.stmt], guards: list[ast.expr]) -> None:
        """Record the conditions on which each `raise` depends."""
        guards = list(guards)
        for part in body:
            if isinstance(part, ast.Raise):
                for line in range(part.lineno, (part.end_lineno or part.lineno) + 1):
                    self.raises[self.filename, line] = guards
            elif isinstance(part, (ast.If, ast.While)):
                self._note_raises(part.body, [*guards, part.test])
                self._note_raises(part.orelse, [*guards, part.test])
                if any(isinstance(branch[-1], _LEAVING) for branch in (part.body, part.orelse) if branch):
                    guards.append(part.test)
            elif isinstance(part, (ast.For, ast.AsyncFor)):
                self._note_raises(part.body + part.orelse, guards)
            elif isinstance(part, (ast.With, ast.AsyncWith)):
                self._note_raises(part.body, guards)
            elif isinstance(part, ast.Try):
                tried = [one for step in part.body for one in ast.walk(step) if isinstance(one, ast.expr)]
                self._note_raises(part.body + part.orelse + part.finalbody, guards)
                if part.handlers and isinstance(last := part.body[-1], ast.Raise):  # reached if the calls above return
                    own = {id(one) for one in ast.walk(last)}
                    for line in range(last.lineno, (last.end_lineno or last.lineno) + 1):
                        self.raises[self.filename, line] = [*guards, *(one for one in tried if id(one) not in own)]
                for handler in part.handlers:
                    self._note_raises(handler.body, [*guards, *tried])
            elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._note_raises(part.body, [])


def _parsed(text: str, place: ast.AST) -> Any:
    statement = ast.parse(text).body[0]
    for part in ast.walk(statement):
        ast.copy_location(part, place)
    return statement


class Cutter:
    """Counts and cuts loops in one process.

    Args:
        main: the console scripts, each with the file and the name of its function.
    """

    def __init__(self, root: str, main: Iterable[tuple[str, str, str]] = ()) -> None:
        self.root = os.path.join(root, "")
        self.main = {(os.path.join(root, file), name): script for file, name, script in main}
        self.shapes: dict[tuple[str, int, str], Shape] = {}
        self.raises: Raises = {}
        self.turns = 0
        self.deadline = sys.maxsize
        self.cuts: list[str] = []
        self.unfinished: list[Any] = []  # objects whose method was cut
        self.artefact: Any = lambda error: False
        self.starts: Any = lambda frame: False
        self.ready: dict[str, tuple[Any, types.CodeType]] = {}
        hooks = {TURN: self._turn, CAUGHT: (LoopCut, Exception), MINE: self._mine, VALUE: self._value}
        hooks[STARTS] = lambda: self.starts(sys._getframe(1))
        vars(builtins).update(hooks)

    def compiled(self, source: Any, filename: str) -> types.CodeType:
        """Compile a module of the repository with counters. Takes text, bytes or a tree.

        Raises:
            SyntaxError, ValueError: as `compile` does.
        """
        if filename in self.ready and self.ready[filename][0] == source:
            return self.ready[filename][1]
        tree = source if isinstance(source, ast.AST) else ast.parse(source, filename)
        main = frozenset(name for file, name in self.main if file == filename)
        tree = _Counted(filename, self.shapes, self.raises, main).visit(tree)
        return compile(tree, filename, "exec", dont_inherit=True)

    def precompile(self, folder: str) -> None:
        """Compile the modules of a package without running them, because some are imported late."""
        for place, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(place, name)
                if not name.endswith(".py") or path in self.ready or len(self.ready) >= PRECOMPILED:
                    continue
                with contextlib.suppress(OSError, SyntaxError, ValueError, RecursionError), open(path, "rb") as file:
                    source = file.read()
                    self.ready[path] = source, self.compiled(source, path)

    def allow(self) -> int:
        """Set the deadline, in turns, for a new call of the candidate; return the old one."""
        old = self.deadline
        room = min(PER_CALL, IN_ALL - self.turns) if self.turns < IN_ALL else 0
        self.deadline = min(old, self.turns + max(room, AFTERWARDS))
        return old

    def shape(self, code: types.CodeType | None) -> Shape | None:
        return self.shapes.get((code.co_filename, code.co_firstlineno, code.co_name)) if code is not None else None

    def raised_on_purpose(self, error: BaseException) -> bool:
        """Whether a `raise` statement of the repository raised it."""
        last = innermost(error)
        return last is not None and (last.tb_frame.f_code.co_filename, last.tb_lineno) in self.raises

    def guards(self, error: BaseException) -> list[Any]:
        """The values of the conditions that led to the `raise` of an exception."""
        last = innermost(error)
        if last is None:
            return []
        frame = last.tb_frame
        found = []
        for guard in self.raises.get((frame.f_code.co_filename, last.tb_lineno), ()):
            for part in ast.walk(guard):
                if isinstance(part, ast.Name):
                    found.append(frame.f_locals.get(part.id, frame.f_globals.get(part.id)))
                elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                    holder = frame.f_locals.get(part.value.id)
                    found.append(getattr(holder, "__dict__", {}).get(part.attr))
        return found

    def _turn(self, weight: int = 1) -> bool:
        self.turns += weight
        if self.turns > self.deadline:
            self._cut(sys._getframe(1))
        return True

    def _cut(self, frame: types.FrameType | None) -> None:
        found = None
        while frame is not None:
            shape = self.shape(frame.f_code)
            if shape is not None and shape.looping(frame.f_lineno):
                found = frame
            frame = frame.f_back
        self.deadline = self.turns + AFTERWARDS
        if found is None:
            raise Stop("a loop that nothing can be cut from")
        raise LoopCut(found)

    def _mine(self) -> bool:
        error = sys.exc_info()[1]
        if isinstance(error, LoopCut):
            return error.frame is sys._getframe(1)
        return error is not None and self.artefact(error)

    def _value(self) -> Any:
        """The result of the function that is cut, guessed from its text and its variables."""
        frame = sys._getframe(1)
        code, held = frame.f_code, frame.f_locals
        self.cuts.append(f"{os.path.relpath(code.co_filename, self.root)}:{frame.f_lineno} {code.co_name}")
        shape = self.shape(code)
        if shape is None:
            return None
        names = code.co_varnames[: code.co_argcount]
        changed = [held[name] for name in names if name in held and name in shape.changed]
        self.unfinished += [one for one in changed if type(one) not in _SCALARS]
        if names and names[0] in held and not isinstance(held[names[0]], (type, ReturnStub)):
            _complete(held[names[0]], shape, frame.f_lineno)
        value = self._guess(shape, code.co_name, frame.f_globals, held)
        if code.co_flags & 0x20:  # a generator ends early
            return None
        return value

    def result(self, function: Any, receiver: Any = None) -> Any:
        """The result of a function that is not run, guessed from its text."""
        code = getattr(function, "__code__", None)
        name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', '?')}()"
        shape = self.shape(code)
        if code is None or shape is None or code.co_flags & 0x20:
            return ReturnStub(name)
        held = {code.co_varnames[0]: receiver} if receiver is not None and code.co_argcount else {}
        return self._guess(shape, name, function.__globals__, held)

    def _guess(self, shape: Shape, name: str, names: dict[str, Any], held: dict[str, Any], depth: int = 0) -> Any:
        if not shape.returns:
            return None
        return self._of(shape.returns[-1], shape, name, names, held, depth)

    def _of(
        self, node: ast.expr | None, shape: Shape, path: str, names: dict[str, Any], held: dict[str, Any], depth: int
    ) -> Any:
        if node is None or isinstance(node, ast.Constant):
            return getattr(node, "value", None)
        if isinstance(node, ast.Tuple) and not any(isinstance(one, ast.Starred) for one in node.elts):
            parts = enumerate(node.elts)
            return tuple(self._of(one, shape, f"{path}[{at}]", names, held, depth) for at, one in parts)
        if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
            return {
                key.value: ReturnStub(f"{path}[{key.value!r}]") for key in node.keys if isinstance(key, ast.Constant)
            }
        kind = self._named(shape.annotation, names)
        if isinstance(kind, type) and self.inside(kind):
            return ReturnStub(path, kind)
        if isinstance(node, ast.Name):
            if node.id in held:
                return self._unfinished(held[node.id], path, node.id in ("self", "cls"))
            if node.id in shape.assigned and depth < 4:
                return self._of(shape.assigned[node.id], shape, path, names, held, depth + 1)
        if isinstance(node, ast.Call) and depth < 4:
            callee = self._named(node.func, {**names, **held})
            if isinstance(callee, type) and self.inside(callee):
                return ReturnStub(path, callee)
            inner = self.shape(getattr(callee, "__code__", None))
            if inner is not None and isinstance(callee, types.FunctionType):
                return self._guess(inner, path, callee.__globals__, {}, depth + 1)
        return ReturnStub(path)

    def _unfinished(self, value: Any, path: str, itself: bool) -> Any:
        if itself or type(value) in _SCALARS or type(value) is ReturnStub:
            return value
        return ReturnStub(path, type(value) if self.inside(type(value)) else None)

    def inside(self, kind: type) -> bool:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
        return file.startswith(self.root)

    @staticmethod
    def _named(node: ast.expr | None, names: dict[str, Any]) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return names.get(node.value)
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = names.get(node.value.id)
            return vars(holder).get(node.attr) if isinstance(holder, types.ModuleType) else None
        return None


def innermost(error: BaseException) -> types.TracebackType | None:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last


def _complete(holder: Any, shape: Shape, line: int) -> None:
    """Give an object the attributes that the rest of its cut method would have set."""
    for at, name, value in shape.attributes:
        if at < line:
            continue
        try:
            if isinstance(value, ast.Constant):
                setattr(holder, name, value.value)
            elif not hasattr(holder, name):
                setattr(holder, name, ReturnStub(f"{type(holder).__name__}.{name}"))
        except Exception:  # a class may refuse
            return
