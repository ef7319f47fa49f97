"""Pods for the provider `k8s`: one Helm values file per repository, for the chart of inspect_k8s_sandbox.

A pod has no process trace. So a right answer is `right-unwitnessed` there, as in a container.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import ENVIRONMENT, TOOLS, WORKSPACE, Mounts, environment

IMAGE_VARIABLE = "MLBENCH_K8S_IMAGE"
"""Environment variable: the image of the pods, by digest. The nodes must be able to pull it."""
_BY_DIGEST = re.compile(r"[^\s@]+@sha256:[0-9a-f]{64}")
_USER = 1000
_SECONDS = 5


@dataclass(frozen=True)
class Pod:
    """A pod for one repository. Its network policy allows no connection.

    Attributes:
        image: by digest.
        tools: host folder of console scripts, which are copied into the pod.
        env: further variables.
    """

    image: str
    repository: Path
    limits: Limits
    tools: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)

    def values(self) -> dict[str, object]:
        """Return the values of the chart `agent-env`."""
        variables = environment(Mounts(self.repository, Path(ENVIRONMENT), self.tools), self.env)
        copied = sum(file.lstat().st_size for file in self.repository.rglob("*"))
        disk = str(self.limits.written + copied)
        bounds = {"cpu": "1", "memory": str(self.limits.memory), "ephemeral-storage": disk}
        service = {
            "image": self.image,
            "command": ["tail", "-f", "/dev/null"],
            "workingDir": WORKSPACE,
            "env": [{"name": name, "value": value} for name, value in sorted(variables.items())],
            "resources": {"limits": bounds, "requests": bounds},
            "networkIsolated": True,
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": True,
                "runAsUser": _USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
        }
        return {"allowDomains": [], "automountServiceAccountToken": False, "services": {"default": service}}

    def spec(self) -> SandboxEnvironmentSpec:
        """Write the values for Inspect."""
        text = yaml.safe_dump(self.values())
        file = cache_folder("k8s") / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.values.yaml"
        return SandboxEnvironmentSpec("k8s", str(write_file(file, text)))

    def files(self) -> dict[str, str]:
        """Return the files of the tools: by path in the pod, a file of this machine."""
        found = sorted(self.tools.iterdir()) if self.tools else []
        return {f"{TOOLS}/{file.name}": str(file) for file in found if file.is_file()}


def pod_image() -> str:
    """Return the image of the pods.

    Raises:
        UsageError: none is named, or not by its digest.
    """
    image = os.environ.get(IMAGE_VARIABLE, "")
    if not _BY_DIGEST.fullmatch(image):
        had = f"{image} has none" if image else "none is set"
        raise UsageError(f"--sandbox k8s: {IMAGE_VARIABLE} must name an image by digest, IMAGE@sha256:...; {had}")
    return image


def refuse_without_cluster() -> None:
    """Check that pods can be started from here, before anything else is done.

    Raises:
        UsageError: no image is named.
        RunError: the extra, Helm or the cluster is missing; says which.
    """
    pod_image()
    if importlib.util.find_spec("k8s_sandbox") is None:
        raise RunError("--sandbox k8s needs inspect_k8s_sandbox: pip install 'mlbench-harness[k8s]'")
    if shutil.which("helm") is None:
        raise RunError("--sandbox k8s needs Helm 3.13 or later, and `helm` is not on the path")
    from kubernetes import client, config

    try:
        config.load_config()
        client.VersionApi().get_code(_request_timeout=_SECONDS)
    except Exception as error:  # no configuration, no route, no right: many types
        said = " ".join(str(error).split())[:200]
        raise RunError(f"--sandbox k8s: no cluster answers ({said}); `kubectl cluster-info` shows yours") from error
