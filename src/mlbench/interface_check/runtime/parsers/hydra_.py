"""hydra: the parse ends when the configuration has been composed from files and overrides."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from . import omegaconf_
from .shared import first_that_fits, muted

MODULES = ("hydra",)
PARSER = "hydra"
PLUGINS = {
    "hydra/hydra_logging": ("colorlog",),
    "hydra/job_logging": ("colorlog",),
    "hydra/launcher": ("joblib", "ray", "ray_aws", "rq", "submitit_local", "submitit_slurm"),
    "hydra/sweeper": ("ax", "nevergrad", "optuna"),
    "hydra/sweeper/sampler": ("cmaes", "grid", "motpe", "nsgaii", "qmc", "random", "tpe"),
}
"""The options of hydra's own plugins by group. They are separate distributions, and their settings stay open."""
_ENDS = ("show_cfg", "app_help", "hydra_help", "show_info", "shell_completion")


def install(module: Any, recorder: Any) -> None:
    internal, main = importlib.import_module("hydra._internal.hydra"), importlib.import_module("hydra.main")
    errors, omegaconf = importlib.import_module("hydra.errors"), importlib.import_module("omegaconf")
    refusals = (errors.HydraException, omegaconf.errors.OmegaConfBaseException, OSError)
    vars(module)["main"] = _with_older_paths(main.main)
    _add_plugins(importlib.import_module("hydra.core.config_store").ConfigStore.instance())
    changed: Any = internal.Hydra
    own_parser, compose = main.get_args_parser, changed.compose_config

    def compose_config(self: Any, config_name: Any, overrides: Any, *args: Any, **named: Any) -> Any:
        try:
            config = compose(self, config_name, overrides, *args, **named)
        except refusals as error:
            if _from_command_line():
                message = _message(error)
                recorder.rejected(first_that_fits(message, _REASONS), message, PARSER)
            raise
        if _from_command_line():
            _report(omegaconf.OmegaConf, config, [str(override) for override in overrides], recorder)
            recorder.settled()  # hydra now creates folders and logs, before any code of the program
        return config

    def ending(name: str) -> Any:
        original = getattr(changed, name)

        def ends(*args: Any, **named: Any) -> Any:
            recorder.rejected("help", f"hydra shows something ({name}) and ends", PARSER)
            return original(*args, **named)

        return ends

    vars(main)["get_args_parser"] = lambda: muted(own_parser(), recorder)
    changed.compose_config = compose_config
    for name in _ENDS:
        setattr(changed, name, ending(name))


def _with_older_paths(own: Any) -> Any:
    """`hydra.main` that also takes what hydra took before 1.1: the path of a file, and `strict`."""

    def main(config_path: Any = None, config_name: Any = None, *args: Any, **named: Any) -> Any:
        named.pop("strict", None)
        if isinstance(config_path, str) and config_name is None and config_path.endswith((".yaml", ".yml")):
            folder, _, name = config_path.rpartition("/")
            config_path, config_name = folder or ".", name.rpartition(".")[0]
            named.setdefault("version_base", "1.1")
        return own(config_path, config_name, *args, **named)

    return main


def _add_plugins(store: Any) -> None:
    """Register an open configuration for each option of a plugin. An installed plugin replaces it."""
    for group, names in PLUGINS.items():
        for name in names:
            store.store(group=group, name=name, node={}, provider="plugin")


def _from_command_line() -> bool:
    """Whether `@hydra.main` is running. A program's own call of `compose` is no command line."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "_run_hydra":
        frame = frame.f_back
    return frame is not None


def _report(own: Any, config: Any, overrides: list[str], recorder: Any) -> None:
    choices = own.to_container(config.hydra.runtime.choices)
    shown = own.masked_copy(config, [key for key in config if key != "hydra"])
    configuration = omegaconf_.values(own, shown)
    groups = {str(group): choice for group, choice in choices.items() if not str(group).startswith("hydra")}
    configuration = {**groups, **configuration}
    configuration.update(_swept(overrides))
    given = tuple(dict.fromkeys(_key(word) for word in overrides))
    missing = [name for name, value in configuration.items() if value == "???"]
    plugins = [f"{group}={name}" for group, name in choices.items() if name in PLUGINS.get(str(group), ())]
    recorder.parsed(
        PARSER,
        configuration,
        tuple(name for key in given for name in _destinations(key, configuration)),
        {name: (name + "=",) for name in configuration},
        unchecked=(
            *(f"{name}: mandatory, and not given" for name in missing),
            *(f"{each}: the settings of this plugin are not checked" for each in plugins),
        ),
    )


def _swept(overrides: list[str]) -> dict[str, Any]:
    """The settings that a multirun varies, each with its values as written; hydra composes only the last of them."""
    parser = importlib.import_module("hydra.core.override_parser.overrides_parser").OverridesParser.create()
    parsed = parser.parse_overrides(overrides)
    return {each.key_or_group: each.get_value_string() for each in parsed if each.is_sweep_override()}


def _key(override: str) -> str:
    """The key of an override: `lr` of `lr=1`, `+lr=1`, `++lr=1`, `~lr`; without the package of `db@here=x`."""
    return override.lstrip("+~").split("=", 1)[0].split("@", 1)[0]


def _destinations(key: str, configuration: dict[str, Any]) -> list[str]:
    below = [name for name in configuration if name.startswith(key + ".")]
    return [key] if key in configuration or not below else below


def _message(error: BaseException) -> str:
    """Hydra's message with those of its causes, which name the fault."""
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None:
        lines += [line.strip() for line in str(current).splitlines() if line.strip()]
        current = current.__cause__
    return "\n".join(dict.fromkeys(lines))


# Parts of the messages of hydra and OmegaConf; the first match decides.
_REASONS = (
    ("Cannot find primary config", "no-such-file"),
    ("Invalid value '", "invalid-choice"),
    ("could not be converted", "invalid-type"),
    ("is not a valid", "invalid-type"),
    ("Available options in", "invalid-choice"),
    ("No match in the defaults list", "unknown-argument"),
    ("is not in struct", "unknown-argument"),
    ("Could not find", "invalid-choice"),
    ("not in '", "unknown-argument"),
    ("Could not append", "conflicting-arguments"),
)
