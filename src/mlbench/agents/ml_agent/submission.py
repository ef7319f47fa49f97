"""How an answer is handed in: as a reply, or as `run.sh`."""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import dataclass

from mlbench.agents.ml_agent.result import SolveResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.prompts.messages import fenced

PYTHON_FILE = "solve.py"
RUN = "run.sh"


@dataclass(frozen=True)
class SubmissionFile:
    """A file to write, from the repository's root."""

    path: str
    text: str


def reply(job: Job, result: SolveResult) -> str:
    """The fenced code, which runs in the folder of the job; empty where there is no answer."""
    if not result.code or result.kind is None:
        return ""
    way = posixpath.relpath(posixpath.join("/", result.folder), posixpath.join("/", job.folder))
    code = result.code
    if job.folder and way != ".":
        if result.kind == "shell":
            code = f"cd {shlex.quote(way)}\n{code}"
        else:
            code = f"import os, sys\nos.chdir({way!r})\nsys.path.insert(0, os.getcwd())\n{code}"
    return fenced(code, result.kind)


def run_files(job: Job, result: SolveResult) -> list[SubmissionFile]:
    """`run.sh`, which starts in the repository's root, and what it starts; none where there is no answer."""
    if not result.code or result.kind is None:
        return []
    folder = posixpath.normpath(posixpath.join("/", result.folder)).lstrip("/") or "."
    lines = ["#!/bin/bash", *([f"cd {shlex.quote(folder)}"] if folder != "." else []), *filter(None, [job.prefix])]
    if result.kind == "shell":
        return [SubmissionFile(RUN, "\n".join([*lines, result.code, ""]))]
    program = SubmissionFile(posixpath.join(folder, PYTHON_FILE), f"{result.code}\n")
    return [program, SubmissionFile(RUN, "\n".join([*lines, f"python {PYTHON_FILE}", ""]))]
