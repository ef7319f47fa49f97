"""One YAML file plus key=value overrides -> a checked, nested dictionary."""

import copy

import yaml

DEFAULTS = {
    "model": {
        "arch": "",
        "model_type": "",
        "load_pretrained": False,
        "temperature": 0.1,
    },
    "data": {
        "name": "",
        "num_train": 160,
        "num_val": 60,
        "num_test": 80,
        "noise": 0.0,
    },
    "run": {
        "task": "",
        "max_epoch": 5,
        "batch_size": 16,
        "batch_size_eval": 32,
        "init_lr": 0.01,
        "min_lr": 0.0,
        "lr_sched": "warmup_cosine",
        "warmup_steps": 5,
        "optimizer": "adamw",
        "weight_decay": 0.0,
        "seed": 42,
        "output_dir": "output",
    },
}

POSITIVE = ("num_train", "num_val", "num_test", "max_epoch", "batch_size", "batch_size_eval", "temperature", "init_lr")


class ConfigError(ValueError):
    pass


def _cast(key, value, like):
    try:
        if isinstance(like, bool):
            if isinstance(value, bool):
                return value
            return {"true": True, "false": False}[str(value).lower()]
        if isinstance(like, int):
            return int(str(value))
        if isinstance(like, float):
            return float(str(value))
    except (ValueError, KeyError):
        raise ConfigError(f"{key}: {value!r} is not a valid {type(like).__name__}") from None
    return str(value)


def _set(config, section, key, value):
    if section not in config or key not in config[section]:
        raise ConfigError(f"unknown option {section}.{key}")
    value = _cast(f"{section}.{key}", value, DEFAULTS[section][key])
    if key in POSITIVE and value <= 0:
        raise ConfigError(f"{section}.{key} must be positive, not {value}")
    if isinstance(value, (int, float)) and value < 0:
        raise ConfigError(f"{section}.{key} must not be negative")
    config[section][key] = value


def build_config(cfg_path, options=()):
    """Defaults, then the file, then the options, in this order."""
    config = copy.deepcopy(DEFAULTS)
    try:
        with open(cfg_path, encoding="utf-8") as handle:
            loaded = yaml.safe_load(handle) or {}
    except OSError as error:
        raise ConfigError(f"cannot read {cfg_path}: {error.strerror}") from None
    for section, entries in loaded.items():
        for key, value in (entries or {}).items():
            _set(config, section, key, value)
    for option in options or ():
        name, equals, value = option.partition("=")
        section, dot, key = name.partition(".")
        if not equals or not dot:
            raise ConfigError(f"an option reads section.key=value, not {option!r}")
        _set(config, section, key, value)
    return config


def show(config):
    return yaml.safe_dump(config, sort_keys=False).rstrip()
