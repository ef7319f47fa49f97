"""The candidate's own calls into the repository, seen where they are made.

`f(a, *b, k=c)` becomes `HOOK.ask(f, site)(a, *b, k=c)`. The hook hands back `f` itself, or a function that records the
call and then makes it: order of evaluation, frames (`super()`, `locals()`), line numbers and exceptions stay as they
were. What is recorded is a claim: the judge holds it against what the answer left behind.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import inspect
import itertools
import math
import os
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from . import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

HOOK = "_h" + os.urandom(8).hex()  # the one name that a candidate's globals hold beyond its own; not guessable
PER_SITE = 200  # records of one call expression; a training loop of the candidate's own then runs at full speed
ITEMS = 64  # a longer sequence or array is recorded by its shape, or cut
DEPTH = 6
MOST_MADE = 100
MOST_CLAIMS, MOST_RESULTS, LARGEST_CLAIM = 50, 20, 8 << 20  # calls, variables, and bytes of an array
PLAIN = (int, float, str, bytes, list, tuple, dict, set, frozenset, types.SimpleNamespace)
HARMLESS = ("__init__", "__getattr__", "__setattr__", "__delattr__")  # for what a class of these holds
SHOWN_AS_THEY_ARE = (type, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)
SCALARS = (bool, int, float, str, type(None))
LOOKING = {print: "__str__", str: "__str__", repr: "__repr__", len: "__len__", list: "__iter__", iter: "__iter__"}


def instrument(source: str, filename: str, hook: Hook) -> CodeType:
    """The candidate's text as code that tells the hook of its calls.

    The hook stands among its constants: no name leads to it.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    tree = ast.parse(source, filename)
    return _holding(compile(_Instrument(hidden=True).visit(tree), filename, "exec", dont_inherit=True), hook)


def _holding(code: CodeType, hook: Hook) -> CodeType:
    constants = tuple(
        hook if type(one) is str and one == HOOK else _holding(one, hook) if isinstance(one, types.CodeType) else one
        for one in code.co_consts
    )
    return code.replace(co_consts=constants)


def instrumented(source: str, filename: str, loops: bool = False) -> list[tuple[int, int, list[str], CodeType]]:
    """The same, statement by statement: first line, last line, the names that it binds, its code.

    Run it with HOOK in its globals.

    Args:
        loops: also asks `HOOK.going_on()` at each turn of its loops, and leaves a loop where the answer is no.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    compile(source, filename, "exec", dont_inherit=True)  # what is wrong across statements
    tree = ast.parse(source, filename)
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    parts = []
    transform = _Instrument(loops)
    for node in tree.body:
        names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        first, last = node.lineno, node.end_lineno or node.lineno
        module = ast.Module([transform.visit(node)], [])
        parts.append((first, last, names, compile(module, filename, "exec", flags, dont_inherit=True)))
    return parts


class _Instrument(ast.NodeTransformer):
    def __init__(self, loops: bool = False, hidden: bool = False) -> None:
        self.loops = loops
        self.hidden = hidden
        self.sites = 0

    def _hooked(self, callee: ast.expr) -> ast.expr:
        self.sites += 1
        hook = ast.Constant(HOOK) if self.hidden else ast.Name(HOOK, ast.Load())
        asked = ast.Call(ast.Attribute(hook, "ask", ast.Load()), [callee, ast.Constant(self.sites)], [])
        for part in (hook, asked.func, asked.args[1], asked):
            ast.copy_location(part, callee)
        return asked

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.func = self._hooked(node.func)
        return node

    def _definition(self, node: Any) -> ast.AST:
        returns, node.returns = getattr(node, "returns", None), None
        self.generic_visit(node)
        node.returns = returns
        node.decorator_list = [self._hooked(decorator) for decorator in node.decorator_list]
        return node  # type: ignore[no-any-return]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition

    def visit_arg(self, node: ast.arg) -> ast.AST:  # annotations may be kept as text: they stay as they are
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
            node.target = self.visit(node.target)
        return node

    def _loop(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if self.loops:
            node.body.insert(0, _placed(ast.parse(f"if not {HOOK}.going_on(): break").body[0], node))
        return node  # type: ignore[no-any-return]

    visit_For = visit_AsyncFor = visit_While = _loop


def _placed(statement: ast.stmt, place: ast.AST) -> ast.stmt:
    for part in ast.walk(statement):
        ast.copy_location(part, place)
    return statement


class CallTarget:
    """A callable of the repository: its dotted name where it is defined, and what it can be called with.

    `signature` is None where it cannot be known; `behind` says that something takes any arguments in front of it.
    """

    def __init__(self, name: str, signature: inspect.Signature | None, behind: bool = False) -> None:
        self.name = name
        self.signature = signature
        self.behind = behind
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}

    def partly(self, function: functools.partial[Any]) -> CallTarget:
        """The same, with what a `functools.partial` passes before all else."""
        target = CallTarget(self.name, self.signature, self.behind)
        target.args, target.kwargs = (*self.args, *function.args), {**self.kwargs, **function.keywords}
        return target

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], list[str]]:
        """Parameter -> argument, defaults included; those given; those that go into a `**` parameter.

        Raises:
            TypeError: the call does not bind; in the words that Python has for it.
        """
        args, kwargs = (*self.args, *args), {**self.kwargs, **kwargs}
        if self.signature is None:
            arguments = {str(place): value for place, value in enumerate(args)}
            arguments.update(kwargs)
            return arguments, tuple(arguments), sorted(kwargs)
        bound = self.signature.bind(*args, **kwargs)
        given = list(bound.arguments)
        opened: list[str] = []
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        for parameter in self.signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = arguments.pop(parameter.name)
                opened = sorted(extra)
                for name, value in extra.items():
                    arguments.setdefault(name, value)
                given = [name for name in given if name != parameter.name] + list(extra)
            elif parameter.kind is parameter.VAR_POSITIONAL and not arguments[parameter.name]:
                del arguments[parameter.name]
        return arguments, tuple(given), opened


class Hook:
    """What the instrumented code asks at each call.

    Args:
        root: the repository's folder, with no link in it.
        file: the candidate's own, which may stand in that folder.
        around: makes a call into the repository: (function, target, args, kwargs) -> its result.
        looked: is told of a method that a builtin calls.
        beside: makes any other call that may leave an opaque object: (function, args, kwargs) -> its result.
    """

    def __init__(
        self,
        root: str,
        file: str,
        around: Callable[[Any, CallTarget, tuple[Any, ...], dict[str, Any]], Any],
        looked: Callable[[CallTarget], None],
        beside: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None,
    ) -> None:
        self.root = os.path.join(root, "")
        self.file = file
        self.around = around
        self.looked = looked
        self.beside = beside
        self.records: dict[int, int] = {}
        self.known: dict[Any, CallTarget | None] = {}
        self.modules: dict[str, bool] = {}

    def ask(self, function: Any, site: int) -> Any:
        """What to call instead of a function, at the given place in the text."""
        kind = type(function)
        count = self.records.get(site, 0)
        if count >= PER_SITE:
            return function
        if kind is type or (kind is types.BuiltinFunctionType and function.__module__ == "builtins"):
            if function in LOOKING:
                return functools.partial(self._look, function)
            if function.__module__ == "builtins":  # also what looks at the frame that it is called from
                return function
        target = self.target(function)
        if target is None and (self.beside is None or _is_own(function)):
            return function
        self.records[site] = count + 1
        if target is not None:
            return functools.partial(self._made, function, target)
        return functools.partial(self._other, function)

    def _made(self, function: Any, target: CallTarget, /, *args: Any, **kwargs: Any) -> Any:
        return self.around(function, target, args, kwargs)

    def _other(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.beside(function, args, kwargs)  # type: ignore[misc]

    def _look(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A builtin that calls a method of what it is given: `print(model_zoo)`."""
        for one in args:
            method = getattr(type(one), LOOKING[function], None) if self.has_class(type(one)) else None
            if isinstance(method, types.FunctionType) and self.inside(method.__code__):
                self.looked(CallTarget(_dotted(method), inspect.Signature()))
        return function(*args, **kwargs)

    def going_on(self) -> bool:
        return True

    def target(self, function: Any) -> CallTarget | None:
        """The callable of the repository behind an object, or None."""
        try:
            if type(function) is functools.partial:  # another one may come to stand at its address
                return self._find(function)
            key = self._key(function)
            if key not in self.known:
                self.known[key] = self._find(function)
            return self.known[key]
        except Exception:  # an object of the candidate's own making may do as it likes
            return None

    @staticmethod
    def _key(function: Any) -> Any:
        kind = type(function)
        if kind is types.FunctionType:
            return function if hasattr(function, "__wrapped__") else function.__code__
        if kind is types.MethodType:
            inner = function.__func__
            code = inner.__code__ if type(inner) is types.FunctionType else inner
            return code, "method", function.__self__ if isinstance(function.__self__, type) else None
        return function if isinstance(function, type) else (kind, "object")

    def inside(self, code: CodeType | None) -> bool:
        return code is not None and code.co_filename.startswith(self.root) and code.co_filename != self.file

    def has_class(self, kind: type) -> bool:
        """Whether the class is defined in the repository."""
        name = getattr(kind, "__module__", None) or ""
        if name not in self.modules:
            file = getattr(sys.modules.get(name), "__file__", None) or ""
            self.modules[name] = name != "__main__" and file.startswith(self.root)
        return self.modules[name] and _may_be_of(kind)

    def _find(self, function: Any) -> CallTarget | None:
        if isinstance(function, functools.partial):
            inner = self.target(function.func)
            return None if inner is None else inner.partly(function)
        if isinstance(function, type):
            return self._of_class(function)
        if isinstance(function, types.MethodType):
            plain = _unwrapped(function.__func__)
            code = getattr(plain, "__code__", None)
            return CallTarget(_dotted(plain), _without_first(_signature(plain))) if self.inside(code) else None
        plain = _unwrapped(function)
        if isinstance(plain, types.FunctionType):
            return CallTarget(_dotted(plain), _signature(plain)) if self.inside(plain.__code__) else None
        if isinstance(plain, (types.BuiltinFunctionType, types.ModuleType)):
            return None
        for name in ("__call__", "forward"):  # a module of torch has a `__call__` that calls `forward`
            method = _unwrapped(getattr(type(plain), name, None) or _nothing)
            if isinstance(method, types.FunctionType) and self.inside(method.__code__):
                return CallTarget(_dotted(method), _without_first(_signature(method)), name == "forward")
        return None

    def _of_class(self, kind: type) -> CallTarget | None:
        if not self.has_class(kind):
            return None
        name = _dotted(kind)
        for base in kind.__mro__[:-1]:
            for special in ("__init__", "__new__"):
                method = base.__dict__.get(special)
                method = getattr(method, "__func__", method)
                if isinstance(method, types.FunctionType):
                    inner = _unwrapped(method)
                    return CallTarget(name, _without_first(_signature(inner)) if self.has_class(base) else None)
            if not self.has_class(base):  # a base from elsewhere, compiled or a stub
                return CallTarget(name, _signature(kind) if base.__module__ == "builtins" else None)
        return CallTarget(name, inspect.Signature())


def _is_own(function: Any) -> bool:
    return type(function) is types.FunctionType and function.__module__ == "__main__"


def _standing(thing: Any) -> Any:
    """What stands under the name of a class or function in its module, unless that is the candidate's; else None."""
    held: Any = sys.modules.get(thing.__module__) if thing.__module__ != "__main__" else None
    for part in thing.__qualname__.split("."):
        held = getattr(held, "__dict__", {}).get(part)
    return getattr(held, "__func__", held)


def _is_found(kind: type) -> bool:
    return _standing(kind) is kind


def _may_be_of(kind: type) -> bool:
    """Whether a class may be of the module that it names: another class that stands there under its name is the one."""
    found = _standing(kind)
    return found is kind or not isinstance(found, type) or issubclass(found, kind)


def _unwrapped(function: Any) -> Any:
    """What a decorator was put around. Anybody can put on anything that it is a decorator around something else."""
    if not hasattr(function, "__wrapped__") or _standing(function) is not function:
        return function
    return inspect.unwrap(function)


def _nothing() -> None:
    return None


def _dotted(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _without_first(signature: inspect.Signature | None) -> inspect.Signature | None:
    if signature is None:
        return None
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind in (parameters[0].POSITIONAL_ONLY, parameters[0].POSITIONAL_OR_KEYWORD):
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)


class ValueEncoder:
    """Arguments as JSON. What is opaque (an array, a generator of random numbers) is shown by how it was made."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.made: dict[int, tuple[Any, Any]] = {}

    def remember(self, value: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Note how a call outside the repository made an object."""
        if isinstance(value, (*SCALARS, type, types.ModuleType, types.FunctionType)):
            return
        try:
            name = _dotted(function) if hasattr(function, "__qualname__") else type(function).__name__
            owner = getattr(function, "__self__", None)
            if owner is not None and not isinstance(owner, types.ModuleType):
                name = f"{type(owner).__name__}.{function.__name__}"
            arguments = [self.show(one, 2) for one in args[:8]]
            named = {key: self.show(one, 2) for key, one in kwargs.items()}
            self.made[id(value)] = (weakref.ref(value), [name, *arguments, *([named] if named else [])])
        except Exception:  # cannot be referred to weakly, or will not be looked at
            return

    def show(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, SCALARS) and type(value) in SCALARS:
            if type(value) is float and not math.isfinite(value):
                return {"!": "float", "value": str(value)}
            return value if type(value) is not str or len(value) <= 10_000 else value[:10_000]
        if depth > DEPTH:
            return {"!": "deep", "value": type(value).__name__}
        try:
            return self._show(value, depth)
        except Exception:  # what an object does when it is looked at is its own affair
            return {"!": "object", "value": type(value).__name__}

    def _show(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return [self.show(one, depth + 1) for one in value[:ITEMS]]
        if kind in (set, frozenset):
            return sorted((self.show(one, depth + 1) for one in value), key=repr)[:ITEMS]
        if kind is dict or (isinstance(value, dict) and self._is_plain(kind)):
            return {str(key): self.show(value[key], depth + 1) for key in list(value)[:ITEMS]}
        if hasattr(kind, "_mlbench_shown"):
            return value._mlbench_shown()
        if values.stub_name(value):
            return values.encode(value)
        if not self._is_plain(kind):
            return {"!": "object", "value": values.dotted(kind)}
        made = self.made.get(id(value))
        origin = made[1] if made is not None and made[0]() is value else None
        shape = getattr(value, "shape", None)
        if kind.__module__ == "numpy" and isinstance(shape, tuple):
            if kind.__name__ != "ndarray":
                return self.show(value.item(), depth + 1)
            if (value.size <= ITEMS and value.dtype.kind in "biuSU") or (origin is None and value.size <= 8):
                return self.show(value.tolist(), depth + 1)
            return {"!": "array", "value": list(shape), **({"made": origin} if origin else {})}
        shown = values.encode(value)
        if type(shown) is not dict or shown.get("!") != "object":
            return shown
        if origin is not None:
            shown["made"] = origin
        elif self.hook.has_class(kind):
            shown["state"] = self._state(value)
        return shown

    def _is_plain(self, kind: type) -> bool:
        """Whether a value is what it shows: one of a candidate's own class may count as 1 and look as 4."""
        if not issubclass(kind, PLAIN) and kind.__qualname__ != "Namespace" and kind.__module__ != "numpy":
            return True
        if type(kind) is not type and not _is_found(type(kind)):
            return False
        return all(
            _is_found(base) or all(self._is_harmless(name, base.__dict__[name]) for name in base.__dict__)
            for base in kind.__mro__
        )

    def _is_harmless(self, name: str, value: Any) -> bool:
        value = getattr(value, "__func__", value)
        value = value.fget if isinstance(value, property) else value
        if isinstance(value, types.FunctionType):
            return value.__code__.co_filename != self.hook.file or name in HARMLESS
        return not name.startswith("__") or type(value) in SHOWN_AS_THEY_ARE or not callable(value)

    @staticmethod
    def _state(value: Any) -> dict[str, Any]:
        """What an object plainly holds: configurations are often built by assigning to attributes."""
        held = getattr(value, "__dict__", {})
        return {name: held[name] for name in sorted(held)[:ITEMS] if _plain(held[name])}


def _plain(value: Any, depth: int = 0) -> bool:
    if type(value) in (dict, list, tuple):
        inner = value.values() if type(value) is dict else value
        named = type(value) is not dict or all(type(name) is str for name in value)
        return depth < 2 and len(value) <= ITEMS and named and all(_plain(one, depth + 1) for one in inner)
    return type(value) in SCALARS and (type(value) is not float or math.isfinite(value))


class _Made:
    """An object of the repository's that a candidate made by `call`, and what it plainly holds under its arguments."""

    def __init__(self, value: Any, call: dict[str, Any] | None) -> None:
        self.reference = weakref.ref(value)
        self.call = call
        self.settle()

    def _space(self) -> dict[str, Any]:
        value = self.reference()
        return object.__getattribute__(value, "__dict__") if value is not None else {}

    def settle(self) -> None:
        """What it holds now is the repository's doing."""
        self.held = self._holds()

    def _holds(self) -> dict[str, Any]:
        space, found = self._space(), {}
        for name in self.call["arguments"] if self.call is not None else ():
            for spelling in (name, f"_{name}"):
                if spelling in space and type(space[spelling]) in SCALARS:
                    found[name] = space[spelling]
        return found

    def changed(self) -> dict[str, Any]:
        """The call that would have made what there is now; empty where it is as it was."""
        now = self._holds()
        news = {name: now[name] for name, old in self.held.items() if name in now and _differ(now[name], old)}
        if self.call is None or not news:
            return {}
        self.held = now
        self.call = {**self.call, "arguments": {**self.call["arguments"], **news}}
        return self.call


def _differ(one: Any, other: Any) -> bool:
    return one is not other and (type(one) is not type(other) or one != other)


class Claims:
    """The arrays that calls take and return, left as files: whoever judges makes the one from the other himself.

    Args:
        folder: where they are left; nothing is where it is empty.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0
        self.most = MOST_CLAIMS

    def keep(self, passed: Any, returned: Any) -> None:
        """Keep a call's first array argument (none is an empty array) and its result, if that is an array."""
        numpy = sys.modules.get("numpy")
        if not self.folder or numpy is None or not isinstance(returned, numpy.ndarray) or self.count >= self.most:
            return
        taken = next(_arrays(passed, numpy.ndarray), numpy.zeros(0))
        if max(taken.nbytes, returned.nbytes) > LARGEST_CLAIM:
            return
        with contextlib.suppress(Exception):
            os.makedirs(self.folder, exist_ok=True)
            numpy.savez(os.path.join(self.folder, f"{self.count}.npz"), taken=taken, returned=returned)
            self.count += 1

    def keep_results(self, variables: dict[str, Any]) -> None:
        """Keep the arrays that an answer holds at its end: it may have made the result by steps of its own."""
        self.most += MOST_RESULTS
        for value in list(variables.values()):
            self.keep((), value)


def _arrays(value: Any, kind: type, depth: int = 0) -> Any:
    if isinstance(value, kind):
        yield value
    elif depth < 3 and isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _arrays(each, kind, depth + 1)


class CallReporter:
    """Records the calls of a real execution: what was called, and that it came back.

    Args:
        send: (kind, content) of a report: `call` JSON, with a number; `done` or `raised` that number.
    """

    def __init__(self, root: str, file: str, send: Callable[[str, str], None]) -> None:
        self.send = send
        self.hook = Hook(root, file, self.around, self.looked, self.beside)
        self.shower = ValueEncoder(self.hook)
        self.numbers = itertools.count()
        self.inside = 0  # calls of the candidate that have not come back
        self.claims = Claims(os.environ.get("MLBENCH_CLAIMS", ""))
        self.made: list[_Made] = []

    def look(self) -> None:
        """The candidate's turn ends: an object of which it has set attributes is as if it had been made with them."""
        if not self.inside:
            for made in self.made:
                if call := made.changed():
                    self.send("done", self.called(call))

    def settle(self) -> None:
        """The repository's turn ends."""
        if not self.inside:
            for made in self.made:
                made.settle()

    def called(self, call: dict[str, Any]) -> str:
        number = next(self.numbers)
        self.send("call", values.as_json({**call, "number": number}))
        return str(number)

    def around(self, function: Any, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.look()
        call, number = None, ""
        with contextlib.suppress(TypeError):  # the call itself will say so
            call = described(self.shower, target, args, kwargs)
            number = self.called(call)
        self.inside += 1
        how = "raised"
        try:
            value = function(*args, **kwargs)
            how = "done"
            self.claims.keep((args, kwargs), value)
        except SystemExit as error:
            if type(error) is SystemExit and not error.code and self._from_the_repository(error):
                how = "done"
            raise
        finally:
            self.inside -= 1
            self.settle()
            self.send(how, number)
        if len(self.made) < MOST_MADE and self.hook.has_class(type(value)):
            with contextlib.suppress(TypeError, AttributeError):  # of slots only
                self.made.append(_Made(value, call if isinstance(function, type) else None))
        return value

    def _from_the_repository(self, error: BaseException) -> bool:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return trace is not None and self.hook.inside(trace.tb_frame.f_code)

    def beside(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = function(*args, **kwargs)
        self.shower.remember(value, function, args, kwargs)
        return value

    def looked(self, target: CallTarget) -> None:
        self.send("done", self.called(described(self.shower, target, (), {})))


def described(
    shower: ValueEncoder, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """A call as the fields of a `Call`, and under `open` the names that a `**` parameter took.

    Raises:
        TypeError: it does not bind.
    """
    arguments, given, opened = target.bind(args, kwargs)
    shown = {name: shower.show(value) for name, value in arguments.items()}
    return {"function": target.name, "arguments": shown, "given": list(given), "open": opened}
