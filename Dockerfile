# mlbench with bubblewrap: docker build -t mlbench .
# bubblewrap needs: docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined
# (docs/get-started/install.md)
ARG BASE=python:3.12-slim-bookworm
FROM ${BASE}
# another package index, if there is one
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap git \
 && rm -rf /var/lib/apt/lists/*
COPY requirements.txt pyproject.toml README.md LICENSE /opt/mlbench/
RUN python3 -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /opt/mlbench/requirements.txt
COPY src /opt/mlbench/src
RUN /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation /opt/mlbench \
 && useradd --create-home user
ENV PATH=/opt/venv/bin:$PATH
USER user
WORKDIR /home/user
ENTRYPOINT ["mlbench"]
CMD ["--help"]
