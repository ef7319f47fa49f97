"""docopt: the usage text is the parser; every value is a word, a switch or a count."""

from __future__ import annotations

import sys
from typing import Any

MODULES = ("docopt",)
PARSER = "docopt"


def install(module: Any, recorder: Any) -> None:
    original = module.docopt

    def docopt(doc: str, argv: Any = None, *args: Any, **named: Any) -> Any:
        words = sys.argv[1:] if argv is None else argv
        words = words.split() if isinstance(words, str) else list(words)
        try:
            result = original(doc, argv, *args, **named)
        except module.DocoptExit as error:
            recorder.rejected(_reason(module, doc, words, str(error)), str(error), PARSER)
            raise
        except SystemExit:
            recorder.rejected("help", "the program prints its help or version and ends", PARSER)
            raise
        except module.DocoptLanguageError as error:
            recorder.broken("conflicting-options", f"docopt cannot read the usage text: {error}")
            raise
        options = {option.name: _strings(option) for option in module.parse_defaults(doc)}
        given = tuple(name for name, value in result.items() if _is_given(name, value, words, options))
        recorder.parsed(PARSER, dict(result), given, options)
        return result

    module.docopt = docopt


def _strings(option: Any) -> tuple[str, ...]:
    return tuple(name for name in (option.short, option.long) if name)


def _is_given(name: str, value: Any, words: list[str], options: dict[str, tuple[str, ...]]) -> bool:
    if name not in options:
        return value not in (None, False, 0, [])  # an argument, a command, or an option that only the usage line has
    return any(_names(word, option) for word in words for option in options[name])


def _names(word: str, option: str) -> bool:
    """Whether a word sets an option: in full, with its value, abbreviated, or among joined short ones."""
    if option.startswith("--"):
        long = word.split("=", 1)[0]
        return len(long) > 2 and option.startswith(long)
    return word.startswith("-") and not word.startswith("--") and option[1] in word[1:]


def _reason(module: Any, doc: str, words: list[str], message: str) -> str:
    if "requires argument" in message or "must not have an argument" in message:
        return "wrong-number-of-values"
    if "is not a unique prefix" in message:
        return "ambiguous-argument"
    known = [name for option in module.parse_defaults(doc) for name in _strings(option)]
    known += [word.strip("[]().|").split("=")[0] for word in module.printable_usage(doc).split()]
    unknown = [word for word in words if word[:1] == "-" and word.strip("-") and not _is_number(word)]
    if any(not any(_names(word, name) for name in known if name[:1] == "-") for word in unknown):
        return "unknown-argument"
    return "usage"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
