"""Configuration: a YAML file on top of the defaults, dotted overrides on top of the file.

Everything is checked. A key that is not in SCHEMA is an error, and so is a value of the wrong type:
a typo that silently does nothing costs more time than any other bug.
"""
import math
import re

import yaml

PATTERNS = ("stripes", "blobs", "checkers", "frames", "ripples")
SAMPLERS = ("euler", "heun", "midpoint", "ancestral")
SCHEDULES = ("power", "geometric", "linear")
ACTIVATIONS = ("silu", "relu", "tanh", "gelu")
WEIGHTINGS = ("flat", "snr")
REGIONS = ("left", "right", "top", "bottom", "centre")

# dotted key: (type, default, allowed): allowed is a tuple of choices or (for numbers) a (low, high) range
SCHEMA = {
    "name": ("str", "glaze", None),
    "seed": ("int", 0, (0, 10**9)),
    "data.pattern": ("str", "stripes", PATTERNS),
    "data.size": ("int", 8, (4, 16)),
    "data.count": ("int", 640, (32, 5000)),
    "data.jitter": ("float", 0.05, (0.0, 1.0)),
    "model.width": ("int", 48, (4, 256)),
    "model.depth": ("int", 2, (1, 6)),
    "model.activation": ("str", "silu", ACTIVATIONS),
    "model.label_dropout": ("float", 0.15, (0.0, 1.0)),
    "schedule.kind": ("str", "power", SCHEDULES),
    "schedule.sigma_min": ("float", 0.03, (1e-4, 1.0)),
    "schedule.sigma_max": ("float", 4.0, (1.0, 100.0)),
    "train.iterations": ("int", 400, (1, 20000)),
    "train.batch": ("int", 48, (1, 1024)),
    "train.lr": ("float", 0.01, (1e-7, 1.0)),
    "train.weighting": ("str", "flat", WEIGHTINGS),
    "train.ema": ("bool", True, None),
    "sampler.name": ("str", "euler", SAMPLERS),
    "sampler.steps": ("int", 16, (1, 500)),
    "sampler.guidance": ("float", 1.0, (0.0, 20.0)),
    "sampler.eta": ("float", 1.0, (0.0, 1.0)),
    "output.count": ("int", 16, (1, 1000)),
    "output.label": ("str", "any", None),
    "output.folder": ("str", "outputs", None),
    "output.ascii": ("bool", False, None),
    "inpaint.region": ("str", "left", REGIONS),
    "inpaint.rounds": ("int", 1, (1, 20)),
    "inpaint.count": ("int", 12, (1, 500)),
    "evaluate.steps": ("ints", [4, 8, 16], (1, 500)),
    "evaluate.count": ("int", 96, (8, 1000)),
}


class ConfigError(ValueError):
    pass


def _number(key, value, convert, pattern, word):
    if isinstance(value, bool):
        raise ConfigError(f"{key}: expected {word}, got {value}")
    text = str(value).strip()
    if not re.fullmatch(pattern, text):
        raise ConfigError(f"{key}: expected {word}, got {text!r}")
    return convert(text)


def _integer(key, value):
    return _number(key, value, int, r"[+-]?\d+", "an integer")


def check(key, value):
    """The value of a key as its type, from YAML, from Python or from the text of an override."""
    if key not in SCHEMA:
        group = key.split(".")[0]
        near = [k for k in SCHEMA if k.split(".")[0] == group]
        hint = f" (there are {', '.join(near)})" if near else ""
        raise ConfigError(f"unknown key {key!r}{hint}")
    kind, _, allowed = SCHEMA[key]
    if kind == "int":
        value = _integer(key, value)
    elif kind == "float":
        value = _number(key, value, float, r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", "a number")
    elif kind == "bool":
        if not isinstance(value, bool):
            if value not in ("true", "false"):
                raise ConfigError(f"{key}: expected true or false, got {value!r}")
            value = value == "true"
    elif kind == "ints":
        if isinstance(value, str):
            match = re.fullmatch(r"\[(.*)\]", value.strip())
            if not match:
                raise ConfigError(f"{key}: expected a list such as [2,4], got {value!r}")
            value = match.group(1).split(",")
        if not isinstance(value, (list, tuple)) or not value:
            raise ConfigError(f"{key}: expected a list of integers, got {value!r}")
        value = [_integer(key, v) for v in value]
    elif not isinstance(value, str) or not value:
        raise ConfigError(f"{key}: expected text, got {value!r}")

    if isinstance(allowed, tuple) and kind == "str":
        if value not in allowed:
            raise ConfigError(f"{key}: {value!r} is not one of {', '.join(allowed)}")
    elif allowed is not None:
        low, high = allowed
        for v in value if isinstance(value, list) else [value]:
            if not (math.isfinite(v) and low <= v <= high):
                raise ConfigError(f"{key}: {v} is not between {low} and {high}")
    return value


def _flatten(tree, prefix=""):
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flatten(value, name + ".")
        else:
            yield name, value


def parse_override(text):
    key, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"an override looks like sampler.steps=12, not like {text!r}")
    return key.strip(), value.strip()


class Config(dict):
    """A flat dictionary of dotted keys, complete and checked."""

    @classmethod
    def load(cls, path, overrides=()):
        try:
            with open(path, encoding="utf-8") as file:
                tree = yaml.safe_load(file)
        except OSError as error:
            raise ConfigError(f"cannot read {path}: {error.strerror}") from None
        except yaml.YAMLError as error:
            raise ConfigError(f"{path} is not YAML: {error}") from None
        if not isinstance(tree, dict):
            raise ConfigError(f"{path} holds no configuration")
        config = cls((key, default) for key, (_, default, _) in SCHEMA.items())
        config.update((key, check(key, value)) for key, value in _flatten(tree))
        config.override(overrides)
        return config

    def override(self, overrides):
        """Overrides are a mapping, or texts such as "sampler.steps=12"."""
        pairs = overrides.items() if isinstance(overrides, dict) else map(parse_override, overrides)
        for key, value in pairs:
            self[key] = check(key, value)
        if self["schedule.sigma_min"] >= self["schedule.sigma_max"]:
            raise ConfigError("schedule.sigma_min must be below schedule.sigma_max")

    def dump(self):
        return "\n".join(f"{key}: {value}" for key, value in self.items())
