"""absl.flags: the parse is the call `FLAGS(argv)`, usually through `app.run`."""

from __future__ import annotations

import sys
from typing import Any

from . import schemas

MODULES = ("absl.flags", "absl.app")
PARSER = "absl.flags"


def install(module: Any, recorder: Any) -> None:
    if module.__name__ == "absl.app":
        _install_app(module, recorder)
    else:
        _install_flags(module, recorder)


def _install_app(module: Any, recorder: Any) -> None:
    """Report the `UsageError` that a main function raises."""
    original = module.usage

    def usage(*args: Any, detailed_error: Any = None, **named: Any) -> Any:
        if detailed_error is not None:
            recorder.rejected("usage", str(detailed_error), PARSER)
        return original(*args, detailed_error=detailed_error, **named)

    module.usage = usage


def _install_flags(module: Any, recorder: Any) -> None:
    """Report the parses of `FlagValues.__call__`, without changing its result or errors."""
    original = module.FlagValues.__call__

    def parse(self: Any, argv: Any, known_only: bool = False) -> Any:
        try:
            left = original(self, argv, known_only)
        except SystemExit:
            recorder.rejected("help", "the program prints its help and ends", PARSER)
            raise
        except (module.Error, ValueError) as error:
            reason = _reason(module, error)
            recorder.rejected(reason, str(error), PARSER, lambda: _options(self), lambda: _schema(self))
            raise
        except (AttributeError, KeyError, OSError, TypeError) as error:
            if reason := _of_a_file(error):
                recorder.rejected(reason, str(error), PARSER)
            raise
        try:
            _report(self, list(left[1:]), known_only, recorder)
        except (AttributeError, OSError) as error:  # a file is read on access to its flag
            recorder.rejected(_of_a_file(error) or "usage", str(error), PARSER)
        return left

    module.FlagValues.__call__ = parse


def _of_a_file(error: BaseException) -> str:
    """Why a configuration file or its override was refused; empty for another error."""
    files = []
    frame = error.__traceback__
    while frame is not None:
        files.append(frame.tb_frame.f_code.co_filename)
        frame = frame.tb_next
    if not any("/ml_collections/" in file for file in files):
        return ""
    if isinstance(error, OSError):
        return "no-such-file" if "No such file" in str(error) else "usage"
    if "/ml_collections/" not in files[-1]:  # the file itself refuses its argument, `vit.py:b16`
        return "usage"
    return "invalid-type" if isinstance(error, TypeError) else "unknown-argument"


def _report(flags: Any, words: list[str], known_only: bool, recorder: Any) -> None:
    configuration: dict[str, Any] = {}
    given: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    for owner, defined in flags.flags_by_module_dict().items():
        for flag in defined:
            if owner.startswith("absl.") and not flag.present:
                continue
            configuration[flag.name] = _plain(flag.value)
            if flag.present:
                given.append(flag.name)
            options[flag.name] = _option_strings(flag)
            for name, _ in _settings(flag):
                options.setdefault(name, (f"--{name}",))
    if configuration.get("only_check_args"):
        recorder.rejected("exits-early", "--only_check_args ends the program after parsing", PARSER)
    if words and not known_only and _reads_words(_main_function()):
        configuration["argv"] = words
        given.append("argv")
        words = []
    recorder.parsed(PARSER, configuration, tuple(given), options, ignored=tuple(words), schema=lambda: _schema(flags))


def _plain(value: Any) -> Any:
    """Convert a configuration of `ml_collections.config_flags` to its settings."""
    if type(value).__module__.partition(".")[0] != "ml_collections":
        return value
    settings = getattr(value, "to_dict", lambda: value)()
    return dict(settings) if isinstance(settings, dict) else value


def _settings(flag: Any) -> list[tuple[str, Any]]:
    """The settings of a flag's configuration file. Each is also an option: `--config.model.width`."""
    found: list[tuple[str, Any]] = []
    left = [(flag.name, _plain(flag.value))] if type(flag.value).__module__.startswith("ml_collections") else []
    while left:
        name, value = left.pop(0)
        if isinstance(value, dict):
            left += [(f"{name}.{key}", inner) for key, inner in value.items() if isinstance(key, str)]
        elif isinstance(value, (bool, int, float, str)):
            found.append((name, value))
    return found


def _options(flags: Any) -> dict[str, list[str]]:
    return {flag.name: list(_option_strings(flag)) for own in flags.flags_by_module_dict().values() for flag in own}


def _schema(flags: Any) -> dict[str, Any]:
    found = {}
    for owner, defined in flags.flags_by_module_dict().items():
        if owner.startswith("absl."):
            continue
        for flag in defined:
            found[flag.name] = schemas.entry(
                flag.flag_type(),
                getattr(flag.parser, "enum_values", None),
                flag.default,
                flag.help,
                required=flag.default is None and bool(flag.validators),
            )
            for name, value in _settings(flag):
                found.setdefault(name, schemas.entry(type(value), None, value))
    return found


def _option_strings(flag: Any) -> tuple[str, ...]:
    names = ["--" + flag.name]
    names += ["--no" + flag.name] if flag.boolean else []
    names += ["-" + flag.short_name] if flag.short_name else []
    return tuple(names)


def _main_function() -> Any:
    """The function that `app.run` calls with the positional words; None outside of `app.run`."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "run" and frame.f_globals.get("__name__") == "absl.app":
            return frame.f_locals.get("main")
        frame = frame.f_back
    return None


def _reads_words(main: Any) -> bool:
    """Whether main uses its argument. Without a main the words count as used."""
    code = getattr(main, "__code__", None)
    if code is None or not code.co_argcount:
        return code is None
    import dis

    first = code.co_varnames[0]
    return any(step.argval == first or first in _pair(step.argval) for step in dis.get_instructions(code))


def _pair(value: Any) -> tuple[Any, ...]:
    """Split the operand of a Python 3.13 instruction that loads two variables."""
    return value if isinstance(value, tuple) else ()


def _reason(module: Any, error: Exception) -> str:
    text = str(error)
    if isinstance(error, module.UnrecognizedFlagError):
        return "unknown-argument"
    if isinstance(error, module.CantOpenFlagFileError):
        return "no-such-file"
    for part, reason in _REASONS:
        if part in text:
            return reason
    return "usage"


# Parts of absl's messages; the first match decides.
_REASONS = (
    ("xactly one of (", "conflicting-arguments"),
    ("t most one of (", "conflicting-arguments"),
    ("must have a value other than None", "missing-argument"),
    ("should be one of", "invalid-choice"),
    ("Missing value for flag", "wrong-number-of-values"),
    ("does not take an argument", "wrong-number-of-values"),
    ("invalid literal for", "invalid-type"),
    ("could not convert", "invalid-type"),
    ("Non-boolean argument", "invalid-type"),
    ("is not ", "invalid-choice"),
)
