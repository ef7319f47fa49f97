"""Helpers for several parser modules."""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any


def first_that_fits(message: str, parts: tuple[tuple[str, str], ...]) -> str:
    """The reason code of the first part that a parser's message contains."""
    return next((reason for part, reason in parts if part in message), "usage")


def muted(parser: Any, recorder: Any) -> Any:
    """Report only the refusals of an argparse parser that another library uses internally."""
    for name in ("parse_args", "parse_known_args"):
        setattr(parser, name, _silently(getattr(parser, name), recorder))
    return parser


def _silently(method: Any, recorder: Any) -> Any:
    def replaced(*args: Any, **named: Any) -> Any:
        reports = vars(recorder)
        is_outermost = "parsed" not in reports
        reports["parsed"] = lambda *args, **named: None
        try:
            return method(*args, **named)
        finally:
            if is_outermost:
                del reports["parsed"]

    return replaced


def is_stub(module: Any) -> bool:
    """Whether a module is a stub."""
    return "_stub_name" in vars(type(module))


def spread(values: dict[str, Any]) -> dict[str, Any]:
    """Replace a dataclass by one destination for each of its fields, `options.lr`."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        if hasattr(type(value), "__dataclass_fields__"):
            fields = {f"{name}.{field}": getattr(value, field, None) for field in type(value).__dataclass_fields__}
            result.update(spread(fields))
        else:
            result[name] = value
    return result
