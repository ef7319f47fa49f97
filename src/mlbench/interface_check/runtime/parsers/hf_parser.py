"""A replacement for transformers' HfArgumentParser: argparse options from the fields of dataclasses."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import json
import os
import sys
import types
import typing
from typing import Any, ClassVar

from .. import stubs


class HfArgumentParser(argparse.ArgumentParser):
    """A parser with the fields of dataclasses as options. A class that is a stub may add unknown options."""

    opened: ClassVar[list[tuple[Any, str]]] = []  # shared with the recorder: parsers with unknown options

    def __init__(self, dataclass_types: Any, **named: Any) -> None:
        named.setdefault("formatter_class", argparse.ArgumentDefaultsHelpFormatter)
        super().__init__(**named)
        is_several = isinstance(dataclass_types, (list, tuple))
        self.dataclass_types = list(dataclass_types) if is_several else [dataclass_types]
        self.open_schema = False
        for kind in self.dataclass_types:
            unknown = _unknown_base(kind)
            if unknown:
                self.open_schema = True
                self.opened.append((self, unknown))
            if _is_dataclass(kind):
                self._add_fields(kind)

    def _add_fields(self, kind: Any) -> None:
        hints = _hints(kind)
        for field in dataclasses.fields(kind):
            if field.init and "--" + field.name not in self._option_string_actions:
                self._add_field(field, hints.get(field.name, field.type))

    def _add_field(self, field: Any, hint: Any) -> None:
        names = ["--" + field.name]
        dashed = "--" + field.name.replace("_", "-")
        names += [dashed] if dashed != names[0] else []
        aliases = field.metadata.get("aliases", [])
        names += [aliases] if isinstance(aliases, str) else list(aliases)
        named = {key: value for key, value in field.metadata.items() if key != "aliases"}
        hint, is_bool = _without_none(hint), False
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if typing.get_origin(hint) is typing.Literal:
            named["choices"] = list(typing.get_args(hint))
            named["type"] = _one_of(named["choices"])
        elif isinstance(hint, type) and issubclass(hint, enum.Enum):
            named["choices"] = [member.value for member in hint]
            named["type"] = _one_of(named["choices"])
            default = default.value if isinstance(default, enum.Enum) else default
        elif hint is bool:
            is_bool = True
            named["type"] = string_to_bool
            if field.default is not dataclasses.MISSING:
                named.update(nargs="?", const=True)
        elif typing.get_origin(hint) in (list, tuple):
            inner = typing.get_args(hint)
            named.update(type=inner[0] if inner else str, nargs="+")
            default = None if isinstance(default, str) else default  # as in the real parser
        else:
            named["type"] = hint if callable(hint) and hint is not Any else str
        if default is dataclasses.MISSING:
            named["required"] = True
        else:
            named["default"] = default
        self.add_argument(*names, **named)
        if is_bool and field.default is True:
            no = ["--no_" + field.name] + (["--no-" + dashed[2:]] if dashed != "--" + field.name else [])
            self.add_argument(*no, action="store_false", dest=field.name)

    def parse_args_into_dataclasses(
        self,
        args: Any = None,
        return_remaining_strings: bool = False,
        look_for_args_file: bool = True,
        args_filename: Any = None,
        args_file_flag: Any = None,
    ) -> tuple[Any, ...]:
        if return_remaining_strings:
            namespace, left = self.parse_known_args(args)
        else:
            namespace, left = self.parse_args(args), []
        made = [self._made(kind, vars(namespace)) for kind in self.dataclass_types]
        return (*made, left) if return_remaining_strings else tuple(made)

    def parse_dict(self, args: dict[str, Any], allow_extra_keys: bool = False) -> tuple[Any, ...]:
        known = {
            field.name for kind in self.dataclass_types if _is_dataclass(kind) for field in dataclasses.fields(kind)
        }
        unknown = sorted(set(args) - known)
        if unknown and not allow_extra_keys and not self.open_schema:
            raise ValueError(f"Some keys are not used by the HfArgumentParser: {unknown}")
        return tuple(self._made(kind, args) for kind in self.dataclass_types)

    def parse_json_file(self, json_file: Any, allow_extra_keys: bool = False) -> tuple[Any, ...]:
        with open(json_file, encoding="utf-8") as file:
            return self.parse_dict(json.load(file), allow_extra_keys)

    def parse_yaml_file(self, yaml_file: Any, allow_extra_keys: bool = False) -> tuple[Any, ...]:
        import yaml

        with open(yaml_file, encoding="utf-8") as file:
            return self.parse_dict(yaml.safe_load(file), allow_extra_keys)

    @staticmethod
    def _made(kind: Any, values: dict[str, Any]) -> Any:
        if not _is_dataclass(kind):
            return kind()
        names = [field.name for field in dataclasses.fields(kind) if field.init]
        return kind(**{name: values[name] for name in names if name in values})


class TrlParser(HfArgumentParser):
    """The parser of trl, which reads defaults from the YAML file of `--config`. Here that is an option like others."""

    def __init__(self, dataclass_types: Any, **named: Any) -> None:
        super().__init__(dataclass_types, **named)
        if "--config" not in self._option_string_actions:
            self.add_argument("--config")

    def parse_args_and_config(
        self,
        args: Any = None,
        return_remaining_strings: bool = False,
        fail_with_unknown_args: bool = True,
        separate_remaining_strings: bool = False,
    ) -> tuple[Any, ...]:
        import yaml

        args, rest = list(sys.argv[1:] if args is None else args), []
        if "--config" in args:
            place = args.index("--config")
            with open(args[place + 1], encoding="utf-8") as file:
                config = yaml.safe_load(file)
            os.environ.update({name: str(value) for name, value in config.pop("env", {}).items()})
            rest = self.set_defaults_with_config(**config)
        found = self.parse_args_into_dataclasses(args, return_remaining_strings)
        if return_remaining_strings:
            left = (rest, found[-1]) if separate_remaining_strings else (rest + found[-1],)
            return (*found[:-1], *left)
        if rest and fail_with_unknown_args and not self.open_schema:
            raise ValueError(f"Unknown arguments from config file: {rest}.")
        return found

    def set_defaults_with_config(self, **config: Any) -> list[str]:
        for action in self._actions:
            if action.dest in config:
                action.default, action.required = config[action.dest], False
        known = {action.dest for action in self._actions}
        return [word for name, value in config.items() if name not in known for word in (f"--{name}", str(value))]


def string_to_bool(text: Any) -> bool:
    if isinstance(text, bool):
        return text
    if text.lower() in ("yes", "true", "t", "y", "1"):
        return True
    if text.lower() in ("no", "false", "f", "n", "0"):
        return False
    raise argparse.ArgumentTypeError(
        f"Truthy value expected: got {text} but expected one of yes/no, true/false, t/f, y/n, 1/0"
    )


def _is_dataclass(kind: Any) -> bool:
    return isinstance(kind, type) and dataclasses.is_dataclass(kind)


def _unknown_base(kind: Any) -> str:
    """The name of a class with unknown fields: a stub, or a base class that is one."""
    if not _is_dataclass(kind):
        return str(getattr(kind, "_stub_name", getattr(kind, "__name__", "a class")))
    return str(kind.__name__) if any(map(_is_open, kind.__mro__)) else ""


def _is_open(kind: Any) -> bool:
    """Whether a class inherits from a stub whose fields are in no table."""
    return stubs.Base in kind.__bases__ and "has_table" not in vars(kind)


def _hints(kind: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(kind)
    except Exception:  # a hint names something unknown: the fields keep their hints
        return {}


def _without_none(hint: Any) -> Any:
    """The type that the real parser takes from a union: `X` of `Optional[X]`, `bool` of `bool | str`."""
    if typing.get_origin(hint) not in (typing.Union, getattr(types, "UnionType", None)):
        return hint
    kinds = typing.get_args(hint)
    if bool in kinds:
        return bool
    other = str if type(None) not in kinds else type(None)
    return kinds[0] if kinds[1] is other else kinds[1]


def _one_of(choices: list[Any]) -> Any:
    by_text = {str(choice): choice for choice in choices}

    def convert(text: str) -> Any:
        return by_text.get(text, text)

    return convert
