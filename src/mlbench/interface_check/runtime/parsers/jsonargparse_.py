"""jsonargparse: `CLI` and parsers made from signatures. They stand on argparse, which sees only a part of a command."""

from __future__ import annotations

import sys

from .argparse_ import reason_of

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MODULES = ("jsonargparse",)
PARSER = "jsonargparse"
_PLUMBING = ("config", "help", "print_config")


def install(module: Any, recorder: Any) -> None:
    parser_class = module.ArgumentParser
    parse_args, error = parser_class.parse_args, parser_class.error
    running: list[Any] = []

    def parse(self: Any, args: Any = None, *others: Any, **named: Any) -> Any:
        if running:
            return parse_args(self, args, *others, **named)
        words = [str(word) for word in (sys.argv[1:] if args is None else args)]
        reports = vars(recorder)
        running.append(self)
        reports["parsed"] = lambda *args, **named: None
        try:
            space = parse_args(self, args, *others, **named)
        except SystemExit as end:
            if not end.code:
                recorder.rejected("help", "the program prints its help and ends", PARSER)
            raise
        finally:
            running.pop()
            del reports["parsed"]
        actions = dict(_actions(self, space))
        strings = {name: tuple(action.option_strings) for name, action in actions.items()}
        options = {name: strings[name] for name, action in actions.items() if not _is_choice(action)}
        values = {name: _plain(value) for name, value in vars(space.clone(with_meta=False).as_flat()).items()}
        values = {name: value for name, value in values.items() if name.rpartition(".")[2] not in _PLUMBING}
        given = tuple(_given(values, strings, words))
        recorder.parsed(PARSER, values, given, options, schema=lambda: _schema(actions))
        return space

    def refuse(self: Any, message: str, *others: Any) -> Any:
        recorder.rejected(_reason(message), message, PARSER)
        return error(self, message, *others)

    parser_class.parse_args, parser_class.error = parse, refuse
    if (paths := sys.modules.get(f"{module.__name__}._paths")) is not None:
        _assume_inputs(paths.Path, paths.PathError, recorder)


def _assume_inputs(path_class: Any, error_class: Any, recorder: Any) -> None:
    """Let the types of paths take files and folders that are missing inputs; see assumed_inputs.py."""
    from .. import assumed_inputs

    original = path_class.__init__

    def made(self: Any, path: Any, *others: Any, **named: Any) -> None:
        try:
            original(self, path, *others, **named)
        except error_class as error:
            again = lambda: original(self, path, *others, **named)  # noqa: E731
            if recorder.mode != "stop" or not assumed_inputs.converted(again, path, error, recorder):
                raise

    path_class.__init__ = made


def _reason(message: str) -> str:
    if "Key " in message and ("not expected" in message or "is required" in message):
        return "missing-argument" if "is required" in message else "unknown-argument"
    if "Parser key " in message or "does not validate" in message:
        return "invalid-type"
    return reason_of(message)


def _actions(parser: Any, space: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """What sets each destination, of the chosen subcommands too."""
    for action in parser._actions:
        chosen = getattr(space, action.dest, None) if isinstance(action.dest, str) else None
        if action.dest not in _PLUMBING:
            yield prefix + action.dest, action
        if _is_choice(action) and isinstance(chosen, str):
            yield from _actions(action._name_parser_map[chosen], getattr(space, chosen), f"{prefix}{chosen}.")


def _is_choice(action: Any) -> bool:
    """Whether it is the word that chooses a subcommand."""
    return hasattr(action, "_name_parser_map")


def _schema(actions: dict[str, Any]) -> dict[str, Any]:
    from . import schemas  # needed by the suite builder only

    return {
        name: schemas.entry(
            getattr(action, "_typehint", None) or action.type,
            action.choices,
            _plain(action.default),
            action.help,
            required=action.required,
            switch=action.nargs == 0,
            nargs=action.nargs,
        )
        for name, action in actions.items()
        if not _is_choice(action)
    }


def _given(values: dict[str, Any], options: dict[str, tuple[str, ...]], words: list[str]) -> Iterator[str]:
    """The destinations that a command gives: by their option, as an entry of one, or as a positional."""
    for name, value in values.items():
        holder = max((each for each in options if f"{name}.".startswith(f"{each}.")), key=len, default="")
        strings = options.get(holder, (f"--{name}",))
        spelled = {f"{each}{name[len(holder) :]}" for each in strings}
        if any(word.partition("=")[0] in spelled for word in words) or (not strings and value is not None):
            yield name


def _plain(value: Any) -> Any:
    """A value of plain types; another one by its text."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return str(value)
