"""Pods: the values for Helm, and what is said where no pod can be started. No cluster is needed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from mlbench.records import RunError, UsageError
from mlbench.sandbox.k8s import IMAGE_VARIABLE, Pod, pod_image, refuse_without_cluster
from mlbench.sandbox.limits import MIB, Limits
from mlbench.scoring.runtime import machine
from tests.command_line import mlbench

IMAGE = f"registry.example.org/mlbench-pocket@sha256:{'0' * 64}"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository/train.py").write_text("1\n")
    return tmp_path / "repository"


def service_of(pod: Pod) -> dict[str, Any]:
    values = yaml.safe_load(Path(str(pod.spec().config)).read_text())
    assert values["allowDomains"] == []
    assert values["automountServiceAccountToken"] is False
    return dict(values["services"]["default"])


def test_a_pod_is_bounded_and_reaches_nothing(repository: Path) -> None:
    limits = Limits(memory=64 * MIB, written=8 * MIB)
    service = service_of(Pod(IMAGE, repository, limits, env={"PYTHONPATH": "/workspace/src"}))
    assert service["image"] == IMAGE
    assert service["networkIsolated"] is True
    disk = str(8 * MIB + 2)  # what may be written, and the copy of the repository
    assert service["resources"]["limits"] == {"cpu": "1", "memory": str(64 * MIB), "ephemeral-storage": disk}
    assert service["resources"]["requests"] == service["resources"]["limits"]
    assert service["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert service["securityContext"]["runAsNonRoot"] is True
    assert service["securityContext"]["allowPrivilegeEscalation"] is False
    assert {"name": "PYTHONPATH", "value": "/workspace/src"} in service["env"]


def test_values_fit_the_chart(repository: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = importlib.util.find_spec("k8s_sandbox")
    if found is None or found.origin is None:
        pytest.skip("needs the extra k8s")
    chart = Path(found.origin).parent / "resources/helm/agent-env"
    schema = yaml.safe_load((chart / "values.schema.json").read_text())
    defaults = yaml.safe_load((chart / "values.yaml").read_text())
    jsonschema.validate({**defaults, **Pod(IMAGE, repository, Limits()).values()}, schema)


def test_a_row_runs_in_a_pod_with_the_files_of_its_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, IMAGE)
    runtime = machine("k8s", "pocket", Limits(), 1)
    for name, folder in runtime.checkouts.items():
        place = runtime.place(name)
        assert place.sandbox is not None
        assert place.sandbox.type == "k8s"
        assert {str(folder / path) for path in place.files if not path.startswith("/")} <= set(place.files.values())
        assert "README.md" in place.files


@pytest.mark.parametrize("image", ["", "python:3.12", "python:3.12@sha256:0", f"a b@sha256:{'0' * 64}"])
def test_an_image_without_a_digest_is_refused(image: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, image)
    with pytest.raises(UsageError, match="must name an image by digest"):
        pod_image()


def test_a_machine_without_a_cluster_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, IMAGE)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(RunError, match=r"mlbench-harness\[k8s\]|`helm` is not on the path|no cluster answers") as error:
        refuse_without_cluster()
    assert "\n" not in str(error.value)


def test_eval_in_pods_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != IMAGE_VARIABLE}
    words = ("eval", "pocket", "--model", "mlbench/gold", "--sandbox", "k8s")
    done = mlbench(*words, cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "MLBENCH_K8S_IMAGE must name an image by digest" in done.stderr
