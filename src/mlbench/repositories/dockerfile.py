"""The environment of a repository as the text of a Dockerfile, which needs no other file to be built.

It has no here-documents: only BuildKit knows them, and the engine of some distributions comes without it.
"""

from __future__ import annotations

import shlex
import sys

from mlbench.records import UsageError
from mlbench.repositories.catalogue import Pinned
from mlbench.repositories.repo_environments import CPU_BUILDS, requirements

_TEXT = """# {name} at {commit}, without a GPU. Build it with:
#   mlbench repos dockerfile {name} | docker build --tag {tag} -
ARG BASE=python:{python}-bookworm
FROM $BASE
RUN printf '%s\\n' \\
{lock}
    > /opt/requirements.txt
RUN python3 -m venv /opt/env \\
 && /opt/env/bin/pip install --no-cache-dir --no-deps --require-hashes --find-links {cpu_builds} \\
    -r /opt/requirements.txt
RUN git init --quiet /workspace && cd /workspace \\
 && git fetch --quiet --depth 1 {url} {commit} && git checkout --quiet FETCH_HEAD \\
 && useradd --create-home user && chown -R user: /workspace
ENV PATH=/opt/env/bin:$PATH OMP_NUM_THREADS=1
USER user
WORKDIR /workspace
"""


def image_tag(entry: Pinned) -> str:
    """Return the tag of a repository's image: its name and the beginning of its commit."""
    return f"mlbench-{entry.name.lower()}:{entry.commit[:12]}"


def dockerfile(entry: Pinned) -> str:
    """Return the Dockerfile of a repository and its environment.

    Raises:
        UsageError: no environment without a GPU is known for it.
    """
    if entry.cpu_lock is None:
        raise UsageError(f"{entry.name}: no environment without a GPU is known; see `mlbench repos list`")
    return _TEXT.format(
        name=entry.name,
        commit=entry.commit,
        tag=image_tag(entry),
        url=entry.url,
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
        lock="\n".join(f"    {shlex.quote(line)} \\" for line in requirements(entry.cpu_lock.read_text("utf-8"))),
        cpu_builds=CPU_BUILDS,
    )
