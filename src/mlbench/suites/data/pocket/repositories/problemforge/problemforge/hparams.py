"""Hyper-parameter sets."""

from problemforge import registry


class HParams:
    """Named values with types; unknown names and wrong types are refused."""

    def __init__(self, **values):
        self.__dict__["_values"] = dict(values)

    def __getattr__(self, name):
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"no hyper-parameter {name!r}") from None

    def __setattr__(self, name, value):
        if name not in self._values:
            raise AttributeError(f"no hyper-parameter {name!r}; use add()")
        old = self._values[name]
        if isinstance(old, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(old):
            raise TypeError(f"{name} should be of type {type(old).__name__}, not {type(value).__name__}")
        self._values[name] = value

    def add(self, name, value):
        self._values[name] = value

    def values(self):
        return dict(self._values)

    def parse(self, text):
        """Overrides from "name=value,name=value"."""
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, sign, value = part.partition("=")
            name = name.strip()
            if not sign or name not in self._values:
                raise ValueError(f"cannot use {part!r}; hyper-parameters are {', '.join(sorted(self._values))}")
            kind = type(self._values[name])
            if kind is bool:
                if value.lower() not in ("true", "false"):
                    raise ValueError(f"{name} wants true or false, not {value!r}")
                self._values[name] = value.lower() == "true"
            else:
                self._values[name] = kind(value)
        return self


@registry.register_hparams
def forge_base():
    return HParams(
        batch_size=16,
        hidden_size=24,
        num_layers=2,
        dropout=0.0,
        label_smoothing=0.0,
        optimizer="adam",
        learning_rate=0.01,
        learning_rate_schedule="constant",   # constant, linear, rsqrt
        warmup_steps=5,
        clip_grad_norm=2.0,
        weight_decay=0.0,
        init_scale=1.0,
        tie_weights=False,
    )


@registry.register_hparams
def forge_tiny():
    hp = forge_base()
    hp.hidden_size = 12
    hp.num_layers = 1
    return hp


@registry.register_hparams
def forge_wide():
    hp = forge_base()
    hp.hidden_size = 40
    hp.learning_rate = 0.006
    return hp


@registry.register_hparams
def forge_deep():
    hp = forge_base()
    hp.num_layers = 4
    hp.hidden_size = 16
    hp.learning_rate_schedule = "rsqrt"
    hp.learning_rate = 0.02
    return hp


@registry.register_hparams
def forge_regular():
    """For problems with few examples."""
    hp = forge_base()
    hp.dropout = 0.15
    hp.label_smoothing = 0.1
    hp.weight_decay = 1e-3
    return hp
