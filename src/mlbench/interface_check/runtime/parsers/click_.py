"""click: the parse ends when a command calls its function, with the contexts of all its groups."""

from __future__ import annotations

from typing import Any

from . import schemas

MODULES = ("click",)
_FROM_USER = ("COMMANDLINE", "ENVIRONMENT", "PROMPT")


def install(module: Any, recorder: Any) -> None:
    exceptions = module.exceptions
    wrap(module.Command, module.Group, exceptions, (exceptions.Exit, exceptions.Abort), "click", recorder)
    assume_inputs(module.types, recorder)


def assume_inputs(types: Any, recorder: Any) -> None:
    """Let the types of click take files and folders that are missing inputs; see assumed_inputs.py."""
    from .. import assumed_inputs

    def convert(original: Any) -> Any:
        def replaced(self: Any, value: Any, *context: Any) -> Any:
            try:
                return original(self, value, *context)
            except types.BadParameter as error:
                again = lambda: original(self, value, *context)  # noqa: E731
                found = assumed_inputs.converted(again, value, error, recorder) if recorder.mode == "stop" else ()
                if not found:
                    raise
                return found[0]

        return replaced

    for kind in (types.Path, types.File):
        kind.convert = convert(kind.convert)


def wrap(base: Any, group: Any, exceptions: Any, ends: tuple[Any, ...], parser: str, recorder: Any) -> None:
    """Wrap the methods of commands and groups, of click itself or of a bundled copy.

    Args:
        base: the class of commands.
        group: the class of groups.
        exceptions: the module with the errors that show a message to the user.
        ends: exceptions that end the program at once.
        parser: the name to report.
        recorder: the recorder.
    """
    made: list[Any] = []  # contexts of one command line, from the program to the last sub-command

    def refuse(error: Exception) -> None:
        recorder.rejected(_reason(error, exceptions), _message(error), parser)

    def make_context(original: Any) -> Any:
        def replaced(self: Any, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
            if parent is None:
                made.clear()
            try:
                context = original(self, info_name, args, parent, **extra)
            except (exceptions.ClickException, *ends) as error:
                refuse(error)
                raise
            made.append(context)
            return context

        return replaced

    def resolve_command(original: Any) -> Any:
        def replaced(self: Any, context: Any, args: Any) -> Any:
            try:
                return original(self, context, args)
            except exceptions.UsageError as error:
                recorder.rejected("invalid-choice", _message(error), parser)
                raise

        return replaced

    def invoke(original: Any) -> Any:
        def replaced(self: Any, context: Any) -> Any:
            if not (isinstance(self, group) and context.invoked_subcommand is not None):
                _report(made, parser, recorder)  # otherwise its sub-command is not parsed yet
            return refusing(original, self, context)

        return replaced

    def refusing(original: Any, self: Any, context: Any) -> Any:
        try:
            return original(self, context)
        except exceptions.ClickException as error:
            refuse(error)
            raise

    base.make_context = make_context(base.make_context)
    base.invoke = invoke(base.invoke)
    group_invoke = group.invoke
    group.invoke = lambda self, context: refusing(group_invoke, self, context)
    group.resolve_command = resolve_command(group.resolve_command)


def _report(contexts: list[Any], parser: str, recorder: Any) -> None:
    """Report a parse. A sub-command's destinations have its name, `train.lr`; `command` lists the sub-commands."""
    configuration: dict[str, Any] = {}
    given: list[str] = []
    options: dict[str, tuple[str, ...]] = {}
    ignored: list[str] = []
    commands = []
    for context in contexts:
        names = _path(context)
        if names:
            commands.append(" ".join(names))
        prefix = "".join(name + "." for name in names)
        for parameter in context.command.params:
            if parameter.name not in context.params:
                continue  # not passed to the function: help, version, callbacks
            name = prefix + parameter.name
            configuration[name] = _as_word(context.params[parameter.name], "value" if parser == "typer" else "name")
            source = context.get_parameter_source(parameter.name)
            if source is not None and source.name in _FROM_USER:
                given.append(name)
            if parameter.param_type_name == "option":
                options[name] = (*parameter.opts, *parameter.secondary_opts)
        ignored += context.args
    if commands:
        chained = getattr(contexts[0].command, "chain", False)
        configuration["command"] = commands if chained else commands[-1]
        given.append("command")
    recorder.parsed(
        parser, configuration, tuple(given), options, ignored=tuple(ignored), schema=lambda: _schema(contexts)
    )


def _schema(contexts: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for context in contexts:
        prefix = "".join(name + "." for name in _path(context))
        for parameter in context.command.params:
            if parameter.name not in context.params:
                continue
            default = parameter.get_default(context, call=False)
            found[prefix + parameter.name] = schemas.entry(
                getattr(parameter.type, "name", ""),
                getattr(parameter.type, "choices", None),
                None if callable(default) else default,
                getattr(parameter, "help", ""),
                required=parameter.required,
                switch=bool(getattr(parameter, "is_flag", False)),
                nargs="*" if parameter.nargs == -1 else parameter.nargs if parameter.nargs != 1 else None,
            )
    return found


def _as_word(value: Any, attribute: str) -> Any:
    """Convert an enumeration member to its word on the command line."""
    if isinstance(value, (list, tuple)):
        return [_as_word(each, attribute) for each in value]
    is_member = any(kind.__module__ == "enum" for kind in type(value).__mro__)
    return getattr(value, attribute) if is_member else value


def _path(context: Any) -> tuple[str, ...]:
    """The names of the sub-commands that lead to a context; empty for the program itself."""
    return () if context.parent is None else (*_path(context.parent), context.info_name)


def _message(error: Exception) -> str:
    text = error.format_message() if hasattr(error, "format_message") else ""
    return str(text) or "the program prints its help or version and ends"


def _reason(error: Exception, exceptions: Any) -> str:
    kind = type(error).__name__
    if kind in _REASONS:
        return _REASONS[kind]
    if isinstance(error, exceptions.BadParameter):
        of_type = type(getattr(getattr(error, "param", None), "type", None)).__name__
        text = _message(error)
        for part, reason in _BAD_PARAMETER:
            if part in text:
                return reason
        return "invalid-choice" if "Choice" in of_type else "invalid-type"
    if "Missing command" in _message(error):
        return "missing-argument"
    return "unknown-argument" if "unexpected extra argument" in _message(error) else "usage"


_REASONS = {
    "Exit": "help",
    "NoArgsIsHelpError": "help",
    "Abort": "reads-input",
    "NoSuchOption": "unknown-argument",
    "NoSuchCommand": "invalid-choice",
    "MissingParameter": "missing-argument",
    "BadOptionUsage": "wrong-number-of-values",
    "BadArgumentUsage": "wrong-number-of-values",
    "FileError": "no-such-file",
}
_BAD_PARAMETER = (
    ("is not one of", "invalid-choice"),
    ("not in the range", "invalid-choice"),
    ("should be less than", "invalid-choice"),
    ("should be greater than", "invalid-choice"),
    ("No such file", "no-such-file"),
    ("does not exist", "no-such-file"),
    ("values are required", "wrong-number-of-values"),
    ("Takes ", "wrong-number-of-values"),
)
