"""Inspect's own conformance checks for sandbox providers, run on ours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox

pytestmark = pytest.mark.anyio


ONE_USER = "test_exec_as_user"  # needs a second user; a jail has one by design, which others check


@pytest.fixture
async def sandbox_env(repository: Path, request: pytest.FixtureRequest) -> AsyncIterator[SandboxEnvironment]:
    if request.node.originalname == ONE_USER:
        request.applymarker(pytest.mark.xfail(strict=True, reason="a jail has one user"))
    config = BubblewrapConfig(repository=str(repository))
    environments = await BubblewrapSandbox.sample_init("check", config, {})
    yield environments["default"]
    await BubblewrapSandbox.sample_cleanup("check", config, environments, False)
