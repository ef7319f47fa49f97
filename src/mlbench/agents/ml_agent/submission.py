"""Write an answer as a reply or as the files of a `run.sh`."""

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
    """A file to write; the path starts at the repository's root."""

    path: str
    text: str


def reply(job: Job, result: SolveResult) -> str:
    """Return the answer as fenced code that runs in the task's folder; empty without an answer."""
    if not result.code or result.kind is None:
        return ""
    route = posixpath.relpath(posixpath.join("/", result.folder), posixpath.join("/", job.folder))
    code = result.code
    if job.folder and route != ".":
        if result.kind == "shell":
            code = f"cd {shlex.quote(route)}\n{code}"
        else:
            code = f"import os, sys\nos.chdir({route!r})\nsys.path.insert(0, os.getcwd())\n{code}"
    return fenced(code, result.kind)


def run_files(job: Job, result: SolveResult) -> list[SubmissionFile]:
    """Return `run.sh` and the program that it starts; empty without an answer."""
    if not result.code or result.kind is None:
        return []
    folder = posixpath.normpath(posixpath.join("/", result.folder)).lstrip("/") or "."
    lines = ["#!/bin/bash", *([f"cd {shlex.quote(folder)}"] if folder != "." else []), *filter(None, [job.prefix])]
    if result.kind == "shell":
        return [SubmissionFile(RUN, "\n".join([*lines, result.code, ""]))]
    program = SubmissionFile(posixpath.join(folder, PYTHON_FILE), f"{result.code}\n")
    return [program, SubmissionFile(RUN, "\n".join([*lines, f"python {PYTHON_FILE}", ""]))]
