"""`mlbench eval --ray` killed with -9 and resumed: no sample lost, no reply paid twice, nothing left on the cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cluster.test_ray import cluster, fresh, needs_ray
from tests.serving import kill_resume
from tests.serving.command import Place
from tests.serving.kill_resume import Blow
from tests.serving.server import Endpoint, serving
from tests.test_resume import FEW, RESUME, Trial, arguments, uninterrupted, wrong

__all__ = ["cluster", "fresh"]

pytestmark = [pytest.mark.ray, needs_ray]


@pytest.fixture
def trial(cluster: str, fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trial]:
    """A run on the cluster that is about to be killed, and the same run in one process."""
    from benchmarks.scale import fresh_verdicts

    monkeypatch.setattr(kill_resume, "PATIENCE", 300.0)  # the workers of a cluster start slowly on a loaded machine
    reference = uninterrupted(tmp_path / "alone", FEW)
    fresh_verdicts()  # else the cluster has nothing to judge
    on_ray = ("--ray", cluster)
    with serving(endpoint := Endpoint(wrong=wrong(FEW))) as url:
        words = (*arguments(url, FEW), *on_ray)
        yield Trial(Place(tmp_path), endpoint, words, reference, resume=(*RESUME, *on_ray))


@pytest.mark.parametrize(
    "blows",
    [
        (Blow("logged", 3), Blow("logged", 2)),
        (Blow("stored", 5), Blow("asked", 2)),
    ],
)
def test_a_run_on_a_cluster_goes_on_after_kill_9(trial: Trial, blows: tuple[Blow, ...]) -> None:
    from benchmarks.scale import workers_of

    for blow in blows:
        assert len(trial.live(blow).stored) > 0
    trial.live()
    found = trial.check()
    assert found.asked_twice == 0 and found.repeated == 0
    _, alive = psutil.wait_procs(workers_of(os.getpid()), timeout=120)
    assert alive == []  # the workers of killed commands end too
