"""optparse: options by destination, and the positional words as destination `args`."""

from __future__ import annotations

from typing import Any

from . import schemas, sys_argv
from .shared import first_that_fits

MODULES = ("optparse",)
PARSER = "optparse"

REASONS = (
    ("no such option", "unknown-argument"),
    ("ambiguous option", "ambiguous-argument"),
    ("invalid choice", "invalid-choice"),
    ("option requires", "wrong-number-of-values"),
    ("requires ", "wrong-number-of-values"),
    ("does not take a value", "wrong-number-of-values"),
    ("invalid ", "invalid-type"),
)


def install(module: Any, recorder: Any) -> None:
    sessions: list[tuple[dict[str, None], list[str]]] = []
    parse_args, error, process = module.OptionParser.parse_args, module.OptionParser.error, module.Option.process

    def parse(self: Any, args: Any = None, values: Any = None) -> Any:
        args = sys_argv.words(args)
        given: dict[str, None] = {}
        said: list[str] = []
        sessions.append((given, said))
        try:
            result, left = parse_args(self, args, values)
        except SystemExit as end:
            if end.code in (None, 0):
                recorder.rejected("help", "the program prints its help or version and ends", PARSER)
            else:
                message = said[-1] if said else str(end.code)
                recorder.rejected(first_that_fits(message, REASONS), message, PARSER)
            raise
        finally:
            sessions.pop()
        options = {
            option.dest: [*option._short_opts, *option._long_opts]
            for group in (self, *self.option_groups)
            for option in group.option_list
            if option.dest
        }
        if left:
            given["args"] = None
        recorder.parsed(
            PARSER,
            {**vars(result), "args": left},
            given,
            {**options, "args": ()},
            schema=lambda: _schema(self),
        )
        return result, left

    def note(self: Any, opt: str, value: Any, values: Any, parser: Any) -> Any:
        if sessions and self.dest:
            sessions[-1][0][self.dest] = None
        return process(self, opt, value, values, parser)

    def fail(self: Any, message: str) -> Any:
        if sessions:
            sessions[-1][1].append(message)
        else:
            recorder.rejected(first_that_fits(message, REASONS), message, PARSER)
        return error(self, message)

    module.OptionParser.parse_args, module.OptionParser.error, module.Option.process = parse, fail, note


def _schema(parser: Any) -> dict[str, Any]:
    return {
        option.dest: schemas.entry(
            option.type,
            option.choices,
            parser.defaults.get(option.dest),
            option.help,
            switch=option.nargs is None,
            nargs=option.nargs if option.nargs != 1 else None,
        )
        for group in (parser, *parser.option_groups)
        for option in group.option_list
        if option.dest
    }
