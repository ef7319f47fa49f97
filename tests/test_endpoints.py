"""Keys and addresses of endpoints: found out before anything is asked."""

from __future__ import annotations

import os

import pytest

from mlbench import eval_models
from mlbench.endpoints import find_key
from mlbench.records import UsageError
from mlbench.run_config import RunConfig


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOCAL_API_KEY", "LOCAL_BASE_URL", "INSPECT_EVAL_MODEL_BASE_URL"):
        monkeypatch.setenv(name, "")  # so that it is restored afterwards, whatever the test does


@pytest.mark.parametrize(
    "url", ["http://localhost:8000/v1", "http://127.1.2.3/v1", "http://[::1]:1/v1", "http://0.0.0.0:8000/v1"]
)
def test_an_endpoint_on_this_machine_needs_no_key(url: str) -> None:
    """Inspect said "Unable to initialise local client", and nothing about what to do."""
    find_key("openai-api/local/my-model", url)
    assert os.environ["LOCAL_API_KEY"] == "none"


def test_its_address_may_be_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", "http://localhost:8000/v1")
    find_key("openai-api/local/my-model", None)
    assert os.environ["LOCAL_API_KEY"] == "none"


def test_a_key_that_is_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "mine")
    find_key("openai-api/local/my-model", "http://localhost:8000/v1")
    assert os.environ["LOCAL_API_KEY"] == "mine"


@pytest.mark.parametrize("url", ["http://gpu-box:8000/v1", "http://localhost.example/v1", "http://10.0.0.1/v1", "x"])
def test_an_endpoint_elsewhere_is_given_none_by_itself(url: str) -> None:
    with pytest.raises(UsageError, match="any value does: export LOCAL_API_KEY=none"):
        find_key("openai-api/local/my-model", url)
    assert not os.environ["LOCAL_API_KEY"]


@pytest.mark.parametrize("name", ["openai/gpt-4o", "mlbench/gold", "openai-api/local", "openai-api"])
def test_other_models_are_left_alone(name: str) -> None:
    find_key(name, "http://localhost:8000/v1")
    assert not os.environ["LOCAL_API_KEY"]


@pytest.mark.parametrize("name", ["openai/gpt-4o", "openai-api/local/m"])
def test_a_missing_package_is_told_with_our_extra_before_inspect_is_imported(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After seconds of imports, `openai-api/…` was told to install a package that no extra of ours names."""
    monkeypatch.setattr(eval_models, "importable", lambda module: False)
    with pytest.raises(UsageError, match=r"pip install 'mlbench-harness\[openai\]'$"):
        eval_models.check_key(name, RunConfig(base_url="http://localhost:1/v1"))
