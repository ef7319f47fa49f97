"""argparse: options, sub-commands, parents, and several parses, with the parser's own messages."""

from __future__ import annotations

import re
import sys

from . import sys_argv
from .shared import first_that_fits, spread

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

MODULES = ("argparse",)
PARSER = "argparse"

REASONS = (
    ("unrecognized arguments", "unknown-argument"),
    ("no such option", "unknown-argument"),
    ("invalid choice", "invalid-choice"),
    ("unknown parser", "invalid-choice"),
    ("the following arguments are required", "missing-argument"),
    ("too few arguments", "missing-argument"),
    (" is required", "missing-argument"),
    ("not allowed with argument", "conflicting-arguments"),
    ("ambiguous option", "ambiguous-argument"),
    ("ignored explicit argument", "wrong-number-of-values"),
    ("No such file or directory", "no-such-file"),
    ("invalid ", "invalid-type"),
)
_NUMBER = re.compile(r"expected (?:one|at (?:least|most) one|\d+) arguments?$")


def reason_of(message: str) -> str:
    """The reason code for an error message of argparse."""
    if _NUMBER.search(message):
        return "wrong-number-of-values"
    return first_that_fits(message, REASONS)


class _Session:
    """One call of a parse method, with its sub-parsers."""

    def __init__(self, parser: Any) -> None:
        self.parsers = [parser]
        self.given: dict[str, None] = {}
        self.unchecked: dict[str, None] = {}
        self.reason = ""
        self.message = ""
        self.fault: BaseException | None = None


def install(module: Any, recorder: Any) -> None:
    sessions: list[_Session] = []
    parser_class = module.ArgumentParser

    def wrap_parse(name: str, strict: bool) -> None:
        original = getattr(parser_class, name, None)
        if original is None:
            return

        def parse(self: Any, args: Any = None, namespace: Any = None) -> Any:
            if sessions:
                if self not in sessions[-1].parsers:
                    sessions[-1].parsers.append(self)
                return original(self, args, namespace)
            args = sys_argv.words(args)
            if args is not None:
                args = [str(word) if _is_stub(word) else word for word in args]
            session = _Session(self)
            sessions.append(session)
            try:
                result = original(self, args, namespace)
            except SystemExit as end:
                reason, message = _refusal(session, end)
                if reason == "unknown-argument":
                    _opened(session, recorder, message)
                recorder.rejected(reason, message, PARSER, lambda: _options(session), lambda: _schema(session))
                raise
            except Exception as error:
                if session.fault is error:
                    message = f"{type(error).__name__}: {error}"
                    recorder.rejected(
                        "invalid-type", message, PARSER, lambda: _options(session), lambda: _schema(session)
                    )
                raise
            finally:
                sessions.pop()
            if args is None or len(args) > 0 or not sys_argv.left() or recorder.by_hand:
                space, ignored = (result, ()) if strict else result
                if any(str(word).startswith("-") for word in ignored):
                    _opened(session, recorder, f"it leaves over {' '.join(map(str, ignored))}")
                recorder.parsed(
                    PARSER,
                    spread(vars(space)) if hasattr(space, "__dict__") else _by_dest(session, space),
                    session.given,
                    _options(session),
                    ignored,
                    session.unchecked,
                    schema=lambda: _schema(session),
                )
                if ignored and recorder.mode == "stop":
                    result = (space, Rest(ignored, recorder))
            return result

        setattr(parser_class, name, parse)

    for name, strict in (
        ("parse_args", True),
        ("parse_known_args", False),
        ("parse_intermixed_args", True),
        ("parse_known_intermixed_args", False),
    ):
        wrap_parse(name, strict)

    get_values, get_value, check_value = parser_class._get_values, parser_class._get_value, parser_class._check_value
    error, add_error = parser_class.error, module.ArgumentError.__init__

    def _get_values(self: Any, action: Any, strings: Any) -> Any:
        if sessions and (action.option_strings or [word for word in strings if word != "--"]):
            sessions[-1].given[_name(module, action)] = None
        return get_values(self, action, strings)

    def _get_value(self: Any, action: Any, string: str) -> Any:
        if _is_stub(action.type):
            if sessions:
                sessions[-1].unchecked[f"the type of {_called(action)} stands on a missing module"] = None
            return string
        try:
            return get_value(self, action, string)
        except module.ArgumentError as fault:
            if value := _as_input(lambda: get_value(self, action, string), string, fault, recorder):
                return value[0]
            if sessions:
                sessions[-1].reason = "no-such-file" if "No such file" in str(fault) else "invalid-type"
            raise
        except Exception as fault:
            if value := _as_input(lambda: get_value(self, action, string), string, fault, recorder):
                return value[0]
            if sessions:
                sessions[-1].fault = fault
            raise

    def _check_value(self: Any, action: Any, value: Any) -> None:
        if action.choices is not None and _on_stubs(action.choices, recorder):
            if sessions:
                sessions[-1].unchecked[f"the choices of {_called(action)} stand on a missing module"] = None
            return
        check_value(self, action, value)

    def _error(self: Any, message: str) -> Any:
        if sessions:
            sessions[-1].message = message
        else:
            recorder.rejected(reason_of(message), message, PARSER)
        return error(self, message)

    def _init(self: Any, argument: Any, message: Any) -> None:
        add_error(self, argument, message)
        if sessions:
            sessions[-1].message = str(self)

    add = module._ActionsContainer.add_argument

    class OfMissingLibrary(module.Action):  # type: ignore[misc]
        """An action whose class is a stub: it keeps the words."""

        def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
            if sessions:
                sessions[-1].unchecked[f"the action of {_called(self)} stands on a missing module"] = None
            setattr(namespace, self.dest, values)

    def _add_argument(self: Any, *names: Any, **settings: Any) -> Any:
        if _is_stub(settings.get("action")):
            settings["action"] = OfMissingLibrary
        return add(self, *names, **settings)

    module._ActionsContainer.add_argument = _add_argument
    parser_class._get_values, parser_class._get_value = _get_values, _get_value
    parser_class._check_value, parser_class.error = _check_value, _error
    module.ArgumentError.__init__ = _init


def _as_input(convert: Any, word: Any, fault: BaseException, recorder: Any) -> tuple[Any, ...]:
    """The value of a word that names a missing input; see assumed_inputs.py."""
    from .. import assumed_inputs  # needed after a refusal only

    return assumed_inputs.converted(convert, word, fault, recorder) if recorder.mode == "stop" else ()


class Rest(list):  # type: ignore[type-arg]  # cannot be subscripted as a base under Python 3.8
    """The words that a parser left over. Reports when the program's own code iterates over them."""

    def __init__(self, words: Any, recorder: Any) -> None:
        super().__init__(words)
        self._recorder = recorder

    def _read(self) -> None:
        if sys._getframe(2).f_code.co_filename.startswith(self._recorder.root):
            self._recorder.reads_rest()

    def __iter__(self) -> Any:
        self._read()
        return super().__iter__()

    def __getitem__(self, key: Any) -> Any:
        self._read()
        return super().__getitem__(key)

    def __contains__(self, word: Any) -> bool:
        self._read()
        return super().__contains__(word)

    def pop(self, *place: Any) -> Any:
        self._read()
        return super().pop(*place)


def _opened(session: _Session, recorder: Any, message: str) -> None:
    """End the check if a stub may have added unknown options to the parser."""
    for container, name in recorder.opened:
        if any(container._actions is parser._actions for parser in session.parsers):
            recorder.undecided("stub", f"{name}, of a missing library, may add options to the parser: {message}")


def _refusal(session: _Session, end: SystemExit) -> tuple[str, str]:
    if end.code in (None, 0):
        return "help", "the program prints its help or version and ends"
    message = session.message or str(end.code)
    found = reason_of(message)
    return (session.reason if found == "usage" and session.reason else found), message


def _name(module: Any, action: Any) -> str:
    if action.dest is not module.SUPPRESS:
        return str(action.dest)
    return str(action.metavar or "command")


def _called(action: Any) -> str:
    return str("/".join(action.option_strings) or action.dest)


def _on_stubs(choices: Any, recorder: Any) -> bool:
    """Whether choices are or contain a stub. Empty choices come only from iterating over a stub."""
    if _is_stub(choices):
        return True
    try:
        found = list(choices)
    except TypeError:
        return False
    return any(_is_stub(choice) for choice in found) or (not found and recorder.touched > 0)


def _by_dest(session: _Session, space: Any) -> dict[str, Any]:
    return {action.dest: getattr(space, action.dest, None) for action in session.parsers[0]._actions}


def _options(session: _Session) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    suppress = sys.modules["argparse"].SUPPRESS
    for parser in session.parsers:
        for action in parser._actions:
            if action.dest is not suppress and action.dest != "help":
                found.setdefault(str(action.dest), []).extend(str(each) for each in action.option_strings)
    return found


def _schema(session: _Session) -> dict[str, Any]:
    from . import schemas  # needed by the suite builder only

    suppress = sys.modules["argparse"].SUPPRESS
    found: dict[str, Any] = {}
    for parser in session.parsers:
        for action in parser._actions:
            if action.dest in (suppress, "help") or _is_stub(action.choices):
                continue
            default = parser.get_default(action.dest)
            found[str(action.dest)] = schemas.entry(
                action.type,
                action.choices,
                None if default is suppress else default,
                "" if action.help is suppress else action.help,
                required=action.required,
                switch=action.nargs == 0,
                nargs=action.nargs,
            )
    return found


def _is_stub(value: Any) -> bool:
    """Whether a value is a stub. A real execution has none and does not load the module."""
    stubs = sys.modules.get(__name__.replace("parsers.argparse_", "stubs"))
    return stubs is not None and bool(stubs.is_stub(value))
