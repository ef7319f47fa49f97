"""Provide what older versions of libraries allowed that the check itself has, if the repository's own are missing."""

from __future__ import annotations

import functools

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

MODULES = ("yaml",)


def install(module: Any, recorder: Any) -> None:
    """Let `yaml.load(text)` do without a loader, as before PyYAML 6; it reads plain values only."""
    for name in ("load", "load_all"):
        vars(module)[name] = _without_loader(vars(module)[name], module.FullLoader, recorder)


def _without_loader(load: Any, plain: Any, recorder: Any) -> Any:
    @functools.wraps(load)
    def loaded(stream: Any, *given: Any, **named: Any) -> Any:
        if not given and "Loader" not in named:
            what = "older PyYAML: load without a Loader"
            if what not in recorder.repairs:
                recorder.repairs.append(what)
            named["Loader"] = plain
        return load(stream, *given, **named)

    return loaded
