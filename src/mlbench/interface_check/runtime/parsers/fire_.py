"""fire: the command line selects a function and its arguments. The parse ends before that function's call."""

from __future__ import annotations

import sys
from typing import Any

from . import schemas
from .shared import first_that_fits, muted

MODULES = ("fire",)
PARSER = "fire"


def install(module: Any, recorder: Any) -> None:
    core = module.core

    bound = _Bound()
    fire, call, bind = core.Fire, core._CallAndUpdateTrace, core._ParseArgs

    def run(component: Any = None, command: Any = None, name: Any = None, serialize: Any = None) -> Any:
        if component is None:  # fire reads its caller's names, which must not be this function's
            frame = sys._getframe(1)
            component = {**frame.f_globals, **frame.f_locals}
        bound.clear()
        try:
            result = fire(component, command, name, serialize)
        except core.FireExit as error:
            if error.code:
                message = error.trace.elements[-1].ErrorAsStr()
                recorder.rejected(first_that_fits(message, _REASONS), message, PARSER)
            else:
                recorder.rejected("help", "the program prints its help and ends", PARSER)
            raise
        if not bound.called:
            recorder.rejected("help", "no function is called: the program shows what it has, and ends", PARSER)
        return result

    def parse_arguments(names: Any, defaults: Any, required: Any, named: Any, words: Any, metadata: Any) -> Any:
        bound.named, before = set(named), len(words)
        result = bind(names, defaults, required, named, words, metadata)
        positional = [name for name in names if name not in bound.named]
        bound.named.update(positional[: before - len(words)])
        return result

    def call_and_trace(component: Any, words: Any, trace: Any, treatment: str = "class", target: Any = None) -> Any:
        function = component.__call__ if treatment == "callable" else component
        metadata = core.decorators.GetMetadata(component)
        (positional, named), consumed, left, capacity = core._MakeParseFn(function, metadata)(list(words))
        is_class = treatment == "class"
        bound.add(function, positional, named, component.__name__ + "." if is_class and left else "")
        if not (is_class and left):
            bound.called = True
            _report(bound, trace, core, left, recorder)
        try:
            return call(component, words, trace, treatment, target)
        except Exception as error:
            if not is_class or recorder.mode != "stop":
                raise
            bound.unchecked.append(f"{component.__name__} could not be made here: {type(error).__name__}: {error}")
        instance = object.__new__(component)
        action = core.trace.INSTANTIATED_CLASS
        trace.AddCalledComponent(instance, target or component, consumed, None, None, capacity, action=action)
        return instance, left

    core.Fire = module.Fire = run
    core._CallAndUpdateTrace = call_and_trace
    core._ParseArgs = parse_arguments
    own_parser = core.parser.CreateParser
    core.parser.CreateParser = lambda: muted(own_parser(), recorder)


class _Bound:
    """The functions and arguments that the command line has been bound to."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.called = False
        self.named: set[str] = set()
        self.configuration: dict[str, Any] = {}
        self.given: list[str] = []
        self.options: dict[str, tuple[str, ...]] = {}
        self.unchecked: list[str] = []
        self.parameters: dict[str, list[Any]] = {}  # by the prefix of their destinations

    def add(self, function: Any, positional: Any, named: Any, prefix: str) -> None:
        import inspect

        try:
            arguments = inspect.signature(function).bind(*positional, **named)
        except (TypeError, ValueError):  # a builtin without a signature
            self.configuration.update({prefix + name: value for name, value in named.items()})
            self.given += [prefix + name for name in named]
            return
        arguments.apply_defaults()
        self.parameters[prefix] = list(arguments.signature.parameters.values())
        for name, value in arguments.arguments.items():
            kind = arguments.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                self.configuration.update({prefix + key: entry for key, entry in value.items()})
                self.given += [prefix + key for key in value]
                continue
            self.configuration[prefix + name] = value
            if name in self.named or (kind is inspect.Parameter.VAR_POSITIONAL and value):
                self.given.append(prefix + name)
            if kind is not inspect.Parameter.VAR_POSITIONAL:
                self.options[prefix + name] = ("--" + name,)


def _report(bound: _Bound, trace: Any, core: Any, left: list[str], recorder: Any) -> None:
    if left and left[0].startswith("--"):
        recorder.rejected("unknown-argument", f"Could not consume arg: {left[0]}", PARSER)
    accessed = [step.args[0] for step in trace.elements if step._action == core.trace.ACCESSED_PROPERTY and step.args]
    configuration, given = dict(bound.configuration), list(bound.given)
    if accessed:
        configuration["command"] = " ".join(str(word).replace("-", "_") for word in accessed)
        given.append("command")
    unchecked = [*bound.unchecked, *(f"{left[0]}: what the result of the call does with it" for _ in left[:1])]
    recorder.parsed(
        PARSER, configuration, tuple(given), bound.options, unchecked=tuple(unchecked), schema=lambda: _schema(bound)
    )


def _schema(bound: _Bound) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for prefix, parameters in bound.parameters.items():
        found.update(schemas.of_signature(parameters, prefix))
    return found


_REASONS = (
    ("no value for the required argument", "missing-argument"),
    ("required flags", "missing-argument"),
    ("Could not consume arg: -", "unknown-argument"),
    ("Could not consume", "unknown-argument"),
    ("Cannot find key: -", "unknown-argument"),
    ("Cannot find key", "invalid-choice"),
    ("ambiguous", "ambiguous-argument"),
)
