"""OmegaConf: settings from words (`from_cli`, `from_dotlist`), and refusals of their merge with a schema."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ..config_files import flat

MODULES = ("omegaconf",)
PARSER = "omegaconf"


def install(module: Any, recorder: Any) -> None:
    _take_stubs_as_types(importlib.import_module("omegaconf._utils"))
    own = module.OmegaConf
    original, merge, unsafe_merge = own.from_dotlist, own.merge, own.unsafe_merge
    from_words: list[Any] = []

    def report(config: Any, words: Any) -> None:
        given = tuple(values(own, words))
        recorder.parsed(PARSER, values(own, config), given, {name: (name,) for name in given})

    def from_dotlist(dotlist: Any) -> Any:
        result = original(dotlist)
        from_words.append(result)
        report(result, result)
        return result

    def from_cli(args_list: Any = None) -> Any:
        return from_dotlist(sys.argv[1:] if args_list is None else args_list)

    def checked(merge: Any) -> Any:
        def replaced(*configs: Any, **named: Any) -> Any:
            ours = [config for config in configs if any(config is words for words in from_words)]
            try:
                result = merge(*configs, **named)
            except module.errors.OmegaConfBaseException as error:
                if ours:
                    recorder.rejected(_reason(error), str(error).splitlines()[0], PARSER)
                raise
            for words in ours:
                report(result, words)
            return result

        return replaced

    _take_stubs_as_values(own)
    own.from_dotlist, own.from_cli = staticmethod(from_dotlist), staticmethod(from_cli)
    own.merge, own.unsafe_merge = staticmethod(checked(merge)), staticmethod(checked(unsafe_merge))


def _take_stubs_as_types(utils: Any) -> None:
    """Let a field of a dataclass have any value if its type belongs to a missing library."""
    original, stubs = utils._resolve_forward, sys.modules.get(__name__.replace("parsers.omegaconf_", "stubs"))

    def resolve_forward(kind: Any, *args: Any, **named: Any) -> Any:
        return Any if stubs is not None and stubs.is_stub(kind) else original(kind, *args, **named)

    utils._resolve_forward = resolve_forward


def _take_stubs_as_values(own: Any) -> None:
    """Let a field of a dataclass have a default of a missing library: `strategy: Strategy = Strategy.FULL`."""
    stubs = sys.modules.get(__name__.replace("parsers.omegaconf_", "stubs"))
    structured = own.structured

    def replaced(obj: Any, parent: Any = None, flags: Any = None) -> Any:
        try:
            return structured(obj, parent, flags)
        except Exception as error:
            if stubs is None or "'Stub'" not in str(error):
                raise
            return structured(obj, parent, {**(flags or {}), "allow_objects": True})

    own.structured = staticmethod(replaced)


def values(own: Any, config: Any) -> dict[str, Any]:
    """Return the values by dotted destination. Unresolvable interpolations stay as written."""
    try:
        return flat(own.to_container(config, resolve=True))
    except Exception:  # resolvers are the program's own code
        return flat(own.to_container(config, resolve=False))


def _reason(error: Exception) -> str:
    kind = type(error).__name__
    if kind in ("ConfigKeyError", "ConfigAttributeError"):
        return "unknown-argument"
    if kind == "ValidationError":
        return "invalid-choice" if "Invalid value" in str(error) else "invalid-type"
    return "usage"
