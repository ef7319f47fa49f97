"""Everything that is chosen by name is registered here.

    @registry.register_problem
    class ReverseDigits(problem.Problem): ...          # -> "reverse_digits"

    @registry.register_model("old_name")               # or under a name of your own
    class Whatever(...): ...

    @registry.register_hparams
    def forge_base(): ...                              # -> "forge_base"
"""

import importlib
import re

_STORES = {"problem": {}, "model": {}, "hparams set": {}}
_loaded = False


def snake_case(name):
    """ReverseDigits12 -> reverse_digits12"""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _register(kind):
    def register(thing_or_name):
        if isinstance(thing_or_name, str):
            return lambda thing: _put(kind, thing_or_name, thing)
        return _put(kind, snake_case(thing_or_name.__name__), thing_or_name)
    return register


def _put(kind, name, thing):
    if name in _STORES[kind]:
        raise KeyError(f"{kind} {name} is registered already")
    _STORES[kind][name] = thing
    thing.registered_name = name
    return thing


register_problem = _register("problem")
register_model = _register("model")
register_hparams = _register("hparams set")


def _load():
    global _loaded
    if not _loaded:
        _loaded = True
        for module in ("problems.digits", "problems.letters", "problems.words", "models.all_models", "hparams"):
            importlib.import_module(f"problemforge.{module}")


def names(kind):
    """Sorted names of a kind: "problem", "model" or "hparams set"."""
    _load()
    return sorted(_STORES[kind])


def _get(kind, name):
    _load()
    if name not in _STORES[kind]:
        raise LookupError(f"no {kind} named {name!r}; there are: {', '.join(sorted(_STORES[kind]))}")
    return _STORES[kind][name]


def problem(name):
    """An instance of the problem. "<name>_flip" swaps inputs and targets."""
    if name.endswith("_flip"):
        return _get("problem", name[:-len("_flip")])(flip=True)
    return _get("problem", name)()


def model(name):
    """The class of the model."""
    return _get("model", name)


def hparams(name):
    """A fresh copy of the hyper-parameter set."""
    return _get("hparams set", name)()


def help_text():
    return "\n".join(f"{kind.capitalize()}s:\n" + "\n".join(f"  * {n}" for n in names(kind)) for kind in _STORES)
