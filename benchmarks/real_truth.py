"""The truth about argument vectors: the real program with its real dependencies, and no stubs.

Shares no code with what it is held against. One process per repository imports the heavy libraries once; every
vector is a fork of it that runs the program from its first line to its parser, whose namespace it writes down.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Runs under the interpreter that has the dependencies: argv[1] is a list of modules to import first; each line of
# standard input is [folder, program, argv, beyond the parser, seconds], each line of standard output one verdict.
_RECORDER = r"""
import argparse, importlib, json, os, re, resource, runpy, select, signal, sys, traceback

def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value), key=str)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return {"!": type(value).__name__}

def child(folder, program, argv, beyond, out):
    said = {"status": "none"}
    depth = [0]
    def end(**fields):
        said.update(fields)
        if beyond and "ended" not in fields:
            return
        os.write(out, json.dumps(said).encode())
        os._exit(0)
    whole, known = argparse.ArgumentParser.parse_args, argparse.ArgumentParser.parse_known_args
    def parse_args(self, *args, **named):
        depth[0] += 1
        result = whole(self, *args, **named)
        depth[0] -= 1
        if not depth[0]:
            end(status="accepted", configuration={**said.get("configuration", {}), **plain(vars(result))})
        return result
    def parse_known_args(self, *args, **named):
        depth[0] += 1
        result = known(self, *args, **named)
        depth[0] -= 1
        if not depth[0]:
            said.setdefault("configuration", {}).update(plain(vars(result[0])))
            said.update(status="accepted", ignored=list(result[1]))
        return result
    def refused(self, message):
        end(status="rejected", message=message)
        raise SystemExit(2)
    argparse.ArgumentParser.parse_args = parse_args
    argparse.ArgumentParser.parse_known_args = parse_known_args
    argparse.ArgumentParser.error = refused
    os.chdir(folder)
    sys.argv[:] = [program, *argv]
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as stop:
        said["status"] = "none" if depth[0] else said["status"]  # the parser itself ended it: help
        end(ended="exit %s" % stop.code)
    except BaseException as failure:
        end(ended="%s: %s" % (type(failure).__name__, str(failure)[:200]))
    end(ended="end")

def load(name):
    # compiled operators of torchvision do not load beside a CPU build of torch: declared, as no parser needs them
    missing = True
    while missing:
        try:
            return importlib.import_module(name)
        except RuntimeError as error:
            missing = re.match(r"operator torchvision::(\w+) does not exist", str(error))
            if not missing:
                raise
            import torch
            operators.append(torch.library.Library("torchvision", "FRAGMENT"))
            operators[-1].define(missing[1] + "(Tensor a) -> Tensor")
            for module in [module for module in sys.modules if module.split(".")[0] == name.split(".")[0]]:
                del sys.modules[module]

operators = []
for name in json.loads(sys.argv[1]):
    load(name)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
replies = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    folder, program, argv, beyond, seconds = json.loads(line)
    inward, outward = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(inward)
        child(folder, program, argv, beyond, outward)
    os.close(outward)
    text = b""
    while select.select([inward], [], [], seconds)[0]:
        part = os.read(inward, 1 << 16)
        text += part
        if not part:
            break
    else:
        os.kill(pid, signal.SIGKILL)
        text = b'{"status": "none", "ended": "time"}'
    os.waitpid(pid, 0)
    os.close(inward)
    replies.write((text.decode() or '{"status": "none", "ended": "died"}') + "\n")
    replies.flush()
"""


@dataclass(frozen=True)
class Dependencies:
    """What a repository's programs need at hand: modules imported once, and its own folders as installed packages."""

    modules: tuple[str, ...] = ("torch", "torchvision", "numpy", "pandas", "matplotlib.pyplot")
    installed: tuple[str, ...] = ()


# repositories whose dependencies install from PyPI beside a CPU build of torch:
# torch 2.13.0, torchvision 0.28.0, numpy, scipy, pandas, matplotlib, pillow, timm, tensorboardX, ... (docs)
TRUTHS = {
    "huggingface/pytorch-image-models": Dependencies(),
    "thuml/Time-Series-Library": Dependencies(),
    "mlfoundations/open_clip": Dependencies(installed=("src",)),
    "facebookresearch/esm": Dependencies(installed=(".",)),
    "black0017/MedicalZooPytorch": Dependencies(),
    "vinits5/learning3d": Dependencies(),
}


@dataclass(frozen=True)
class Truth:
    """What the real program did with one vector.

    Attributes:
        status: `accepted` and `rejected` by the parser's word; `none` where it never parsed.
        message: the parser's, where it refused.
        ended: how a program that was not stopped at its parser ended: `exit CODE`, an exception, `time`, `end`.
    """

    status: str
    message: str = ""
    configuration: dict[str, Any] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    ended: str = ""


def run_for_real(
    python: Path,
    root: Path,
    needs: Dependencies,
    vectors: Sequence[tuple[str, tuple[str, ...], bool]],
    seconds: float = 60,
) -> list[Truth]:
    """Run programs of a copy of a repository, which they may write to, each in the folder where it lies.

    Args:
        python: the interpreter that has the dependencies.
        needs: what is imported before the programs, and which of the repository's folders count as installed.
        vectors: program (path in the repository), its words, and whether it runs on beyond its parser, to its end.
        seconds: wall time for one program to reach its parser, or its end.
    """
    lines = [
        json.dumps([str((root / program).parent), Path(program).name, argv, beyond, seconds])
        for program, argv, beyond in vectors
    ]
    done = subprocess.run(
        [str(python), "-c", _RECORDER, json.dumps(needs.modules)],
        input="\n".join(lines) + "\n",
        env={**os.environ, "PYTHONPATH": ":".join(str(root / folder) for folder in needs.installed)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    return [Truth(**{**reply, "ignored": tuple(reply.get("ignored", ()))}) for reply in replies]
