"""tf.flags and tf.app of TensorFlow 1.5 to 2, on top of absl, for programs whose TensorFlow is a stub.

They differ from absl in three ways. The first access to a flag parses the command line. `tf.app.run` accepts unknown
flags. The functions have older names for their arguments. From 1.13 on, TensorFlow loads absl.logging, whose flags
(`log_dir`, `verbosity`, ...) no program may define again. `tensorflow.compat.v1` exists only in such versions.
"""

from __future__ import annotations

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

from .shared import is_stub

MODULES = ("tensorflow", "tensorflow.compat.v1", "tensorflow.python.platform", "tensorflow.python.util")
_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def install(module: Any, recorder: Any) -> None:
    """Give a stub of TensorFlow our own flags and app. The real ones use absl, which is recorded."""
    if not is_stub(module):
        return
    if module.__name__ == "tensorflow.python.util":  # programs inspect their functions with it before the parse
        module.tf_inspect = importlib.import_module("inspect")
        return
    flags, app = stand_ins()
    if module.__name__ in ("tensorflow", "tensorflow.compat.v1"):
        _let_define_again(module.__name__ == "tensorflow")
    places = [module, module.compat.v1, module.python.platform] if module.__name__ == "tensorflow" else [module]
    for place in places:
        place.flags, place.app = flags, app


def _let_define_again(allowed: bool) -> None:
    absl_flags = importlib.import_module("absl.flags")
    importlib.import_module("absl.app")  # and with it absl.logging
    for flag in absl_flags.FLAGS.flags_by_module_dict()["absl.logging"]:
        flag.allow_override = allowed


@functools.cache
def stand_ins() -> tuple[ModuleType, ModuleType]:
    """Make `tf.flags` and `tf.app` on top of absl, whose parse is recorded."""
    flags, app = _flags(), ModuleType("tensorflow.app")
    app.flags = flags  # type: ignore[attr-defined]
    app.run = _run  # type: ignore[attr-defined]
    return flags, app


class _Flags:
    """TensorFlow's `FLAGS`: absl's flags, parsed on the first access to one."""

    def __init__(self, wrapped: Any) -> None:
        self.__dict__["_wrapped"] = wrapped

    def __getattr__(self, name: str) -> Any:
        wrapped = self.__dict__["_wrapped"]
        if hasattr(type(wrapped), name):
            return getattr(wrapped, name)
        if not wrapped.is_parsed():
            wrapped(sys.argv)
        return getattr(wrapped, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_wrapped"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["_wrapped"], name)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__["_wrapped"][name]

    def __setitem__(self, name: str, flag: Any) -> None:
        self.__dict__["_wrapped"][name] = flag

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__["_wrapped"]

    def __iter__(self) -> Any:
        return iter(self.__dict__["_wrapped"])

    def __len__(self) -> int:
        return len(self.__dict__["_wrapped"])

    def __dir__(self) -> list[str]:
        return list(dir(self.__dict__["_wrapped"]))

    def __call__(self, argv: Any, known_only: bool = False) -> Any:
        return self.__dict__["_wrapped"](argv, known_only)

    def _parse_flags(self, args: Any = None) -> None:
        """The parse of TensorFlow 1.4 and older, which ignores unknown flags."""
        words = sys.argv[1:] if args is None else list(args)
        self.__dict__["_wrapped"]([sys.argv[0], *words], known_only=True)


def _flags() -> ModuleType:
    absl_flags = importlib.import_module("absl.flags")

    absl_flags.disclaim_key_flags()  # a flag belongs to the module that calls us
    module = ModuleType("tensorflow.flags")
    for name in dir(absl_flags):
        if not name.startswith("_"):
            value = getattr(absl_flags, name)
            setattr(module, name, _with_old_names(value) if name.startswith("DEFINE_") else value)
    module.DEFINE_bool = module.DEFINE_boolean  # type: ignore[attr-defined]
    module.FLAGS = _Flags(absl_flags.FLAGS)  # type: ignore[attr-defined]
    return module


def _with_old_names(define: Any) -> Any:
    @functools.wraps(define)
    def wrapper(*args: Any, **named: Any) -> Any:
        return define(*args, **{_OLD_NAMES.get(name, name): value for name, value in named.items()})

    return wrapper


def _run(main: Any = None, argv: Any = None) -> None:
    app, flags = importlib.import_module("absl.app"), importlib.import_module("absl.flags")

    main = main or sys.modules["__main__"].main
    app.run(main, argv=argv, flags_parser=lambda words: flags.FLAGS(words, known_only=True))
