"""The model of a run: its key, its endpoint, its context window, its prices."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mlbench.doctor import DISTRIBUTION, EXTRAS, importable
from mlbench.endpoints import find_key, reach, refuse_wrong_key
from mlbench.records import UsageError

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

    from mlbench.run_config import RunConfig

_EXTRA_OF = {"openai": "openai", "openai-api": "openai", "anthropic": "anthropic", "google": "google"}
"""The extra with the package that a provider needs."""


def check_key(name: str, config: RunConfig) -> None:
    """Refuse a model whose package or key is missing, or whose key is wrong; imports nothing heavy.

    Raises:
        UsageError: the package, the URL or the key is missing.
        RunError: the endpoint does not accept the key.
    """
    provider = name.partition("/")[0]
    extra = _EXTRA_OF.get(provider)
    if extra and not all(map(importable, EXTRAS[extra])):
        raise UsageError(f"model {name}: {_not_installed(extra)}")
    if "api_key" not in config.model_args:
        find_key(name, config.base_url)
    refuse_wrong_key(name, config.base_url, config.model_args)


def refuse_baseline(model: str | None, instead: str) -> None:
    """Refuse a baseline as the model of an agent: it knows only the rows of `mlbench eval`.

    Raises:
        UsageError: the model is one of `mlbench/...`.
    """
    if model is not None and model.startswith("mlbench/"):
        raise UsageError(f"{model} is a baseline of `mlbench eval`, and cannot answer an agent; {instead}")


def model_of(name: str, config: RunConfig, asked: GenerateConfig | None = None) -> Model:
    """Return the model of this name after checking that its endpoint answers.

    Args:
        name: PROVIDER/NAME.
        config: URL and arguments of the provider.
        asked: default sampling options.

    Raises:
        UsageError: the model is unknown or has no key.
        RunError: nothing answers at its URL.
    """
    check_key(name, config)
    from inspect_ai.model import GenerateConfig, get_model

    try:
        model = get_model(name, base_url=config.base_url, config=asked or GenerateConfig(), **config.model_args)
    except Exception as error:
        raise UsageError(f"model {name}: {_why_none(name, one_line(error))}") from error
    if url := address_of(model, name, config):
        reach(name, url)
    return model


def _not_installed(extra: str) -> str:
    return f"its package is not installed: pip install '{DISTRIBUTION}[{extra}]'"


def _why_none(name: str, said: str) -> str:
    """Say why Inspect has no such model and what to do, with the names of our extras and options."""
    provider, slash, _ = name.partition("/")
    if not slash:
        return f"write it as PROVIDER/NAME, for example openai/{name}"
    if said.endswith("not recognized."):
        return f"no provider {provider!r}; for example openai/{name.rpartition('/')[2]}, or openai-api/local/NAME"
    if (needed := re.search(r"pip install (\w+)", said)) and needed[1] in EXTRAS:
        return _not_installed(needed[1])
    if (key := re.search(r"\b[A-Z]+_API_KEY\b", said)) and " defined in the environment" in said:
        return f"no key is set: export {key[0]}=…"
    return said


def window_of(name: str, config: RunConfig) -> int | None:
    """Return the context window that a model's endpoint or its own folder states, in tokens; None if none does.

    Raises:
        UsageError: the model is unknown or has no key.
        RunError: nothing answers at its URL.
    """
    from mlbench.prompts.window import context_window

    model = model_of(name, config)
    url = address_of(model, name, config)
    if url is None:  # `hf/...` is loaded into this process
        own = getattr(getattr(getattr(model.api, "model", None), "config", None), "max_position_embeddings", None)
        return own if isinstance(own, int) and own > 0 else None
    service = getattr(model.api, "service_model_name", None)  # for `openai-api/...`: the name without the service
    named = service() if callable(service) else model.name
    return context_window(url, str(named), getattr(model.api, "api_key", None))


def address_of(model: Model, name: str, config: RunConfig) -> str | None:
    """Return the URL of a model's endpoint; None if none is known."""
    variable = f"{name.split('/', maxsplit=1)[0].upper().replace('-', '_')}_BASE_URL"
    url = getattr(model.api, "base_url", None) or config.base_url or os.environ.get(variable)
    return str(url) if url else None


def set_prices(file: Path | None) -> None:
    """Give Inspect the prices of models, also of models that it does not know.

    Args:
        file: YAML or JSON file with US dollars per million tokens of each model, with the fields of
            `inspect_ai.model.ModelCost`; None changes nothing.

    Raises:
        UsageError: the file cannot be read or is malformed.
    """
    import yaml
    from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info
    from pydantic import TypeAdapter, ValidationError

    if file is None:
        return
    try:
        prices = TypeAdapter(dict[str, ModelCost]).validate_python(yaml.safe_load(file.read_text()))
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{file}: {'.'.join(map(str, first['loc'])) or 'prices'}: {first['msg']}") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror}); --model-cost wants a file of prices") from error
    except (ValueError, yaml.YAMLError) as error:
        raise UsageError(f"{file}: cannot be read as prices: {one_line(error)}") from error
    for name, cost in prices.items():
        set_model_info(name, (get_model_info(name) or ModelInfo()).model_copy(update={"cost": cost}))


def one_line(error: BaseException) -> str:
    """Return the message of an error in one line; Inspect's errors may hold rich text of several lines."""
    message = getattr(error, "message", None) or str(error)
    if not isinstance(message, str):
        from rich.console import Console

        console = Console(width=10_000, no_color=True)
        with console.capture() as capture:
            console.print(message)
        message = capture.get()
    text = " ".join(re.sub(r"\[/?(?:bold|blue|red|green|yellow|italic|dim)[^\]]*\]", "", message).split())
    return text.removeprefix("ERROR: ") or type(error).__name__
