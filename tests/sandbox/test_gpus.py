"""The arguments that pass GPUs through; no GPU is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.sandbox import gpus, mounts
from mlbench.sandbox.containers import Container
from mlbench.sandbox.docker.images import DockerImage
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import Mounts
from mlbench.scoring import runtime


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of device files in place of /dev."""
    folder = tmp_path / "dev"
    folder.mkdir()
    for name in ("nvidia0", "nvidiactl", "nvidia-uvm", "null"):
        (folder / name).touch()
    found = gpus.devices(folder)
    monkeypatch.setattr(gpus, "devices", lambda root=folder: found)
    monkeypatch.setattr(gpus.jail_devices, "__defaults__", (folder,))
    return folder


def test_a_jail_shows_the_devices_and_then_closes_dev(dev: Path, tmp_path: Path) -> None:
    args = mounts._arguments(Mounts(tmp_path, gpus=True), Limits())
    close = max(n for n, word in enumerate(args) if word == "/dev" and args[n - 1] == "--remount-ro")
    shown = [args[n + 1 : n + 3] for n, word in enumerate(args) if word == "--dev-bind" and n < close]
    assert shown == [[str(dev / name), f"/dev/{name}"] for name in ("nvidia-uvm", "nvidia0", "nvidiactl")]


def test_without_the_option_a_jail_shows_no_device(dev: Path, tmp_path: Path) -> None:
    assert "--dev-bind" not in mounts._arguments(Mounts(tmp_path), Limits())


@pytest.mark.parametrize("wanted", [True, False])
def test_a_container_gets_every_gpu_if_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: bool) -> None:
    monkeypatch.setattr("mlbench.sandbox.containers._bounds_disk", lambda image: False)
    service = Container(DockerImage("toy"), tmp_path, Limits(), gpus=wanted)._service()
    assert ("deploy" in service) == wanted
    if wanted:
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        assert device == {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}


def test_gpus_that_are_not_there_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "devices", list)
    with pytest.raises(UsageError, match="^--gpus: this machine has no device"):
        runtime.machine("bubblewrap", "pocket", Limits(), 1, None, True)
