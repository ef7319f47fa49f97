"""Check one text, or each line of a file, and return the result as JSON."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, Invocation, Kind, RunError, UsageError
from mlbench.shell.languages import language_of

_WANTED = 'an object with "code", and with "cwd" if it is not the root'
_KINDS = (None, "shell", "python")


def check(
    directory: Path | str,
    code: str | Sequence[str],
    cwd: str = ".",
    *,
    kind: Kind | None = None,
    environment: Path | str | None = None,
) -> Check:
    """Ask a repository's own programs whether they accept a command, and with which configuration.

    Each program runs in a jail until it has parsed its command line, and a few lines further (see
    `docs/reference/probe.md`). Use a `Checker` for many questions about one repository: it keeps its jails.

    Args:
        directory: the repository's folder; nothing in it is changed.
        code: a shell script or Python code as text, or the words of one command.
        cwd: the folder in which the code starts, relative to the repository's root.
        kind: the language of the code. None: decided by parsing.
        environment: a virtual environment for the programs. Without one, stubs replace missing modules.

    Returns:
        Status, reason and message, and an `Invocation` with its configuration for each program that the code starts.
        `seconds` is wall time, including the start of the jail.

    Raises:
        UsageError: no such folder or environment, or `cwd` leads out of the repository.
        RunError: this machine has no sandbox. The message says why.
    """

    async def ask() -> Check:
        async with Checker(_subject(Path(directory), Path(environment) if environment else None)) as checker:
            return await checker.check(_candidate(code if isinstance(code, str) else shlex.join(code), kind), cwd)

    try:
        return anyio.run(ask)
    except SandboxUnavailableError as error:
        raise RunError(str(error)) from error


def described(check: Check) -> dict[str, Any]:
    """Return a check as JSON: the deciding program and configuration first, then all invocations."""
    deciding = [each for each in check.invocations if each.status is check.status] or list(check.invocations)
    first = _plainly(deciding[-1]) if deciding else {}
    configuration = first.get("configuration", {})
    given = set(first.get("given", ()))
    return {
        "status": check.status,
        "reason": check.reason,
        "message": check.message,
        "program": first.get("program", ""),
        "configuration": configuration,
        "given": sorted(given),
        "defaults": sorted(configuration.keys() - given),
        "seconds": round(check.seconds, 4),
        "invocations": [_plainly(invocation) for invocation in check.invocations],
    }


def _plainly(invocation: Invocation) -> dict[str, Any]:
    """An invocation as JSON, without the schema and what only agents' scripts are asked."""
    return {name: value for name, value in asdict(invocation).items() if name not in ("schema", "cut_short")}


def json_of(check: Check, indent: int | None = None) -> str:
    """Return a check as JSON text; see `described`."""
    return _json(described(check), indent)


def probe_batch(
    directory: Path, file: Path, environment: Path | None, workers: int | None
) -> Iterator[tuple[str, str]]:
    """Check every line of a file; yield each result as one line, and the fault of a malformed line.

    Results come in the order of the lines. Further fields of an object (an `id`) are copied to its result.

    Raises:
        UsageError: no such folder or file, or nothing in it.
        RunError: this machine has no sandbox. The message says why.
    """
    subject = _subject(directory, environment)
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise UsageError(f"{file} is empty; a line is {_WANTED}")
    with anyio.from_thread.start_blocking_portal() as portal:
        workers = workers or len(os.sched_getaffinity(0))
        checker, room = portal.call(_entered, subject, workers)
        under_way = [portal.start_task_soon(_line, checker, room, number, line) for number, line in numbered]
        answered = 0
        try:
            for future, (number, line) in zip(under_way, numbered, strict=True):
                try:
                    result = future.result()
                except SandboxUnavailableError as error:
                    if not answered:
                        raise RunError(str(error)) from error
                    result = _lost(number, line, str(error))
                answered += 1
                yield result
        finally:  # if the caller has left, the portal cancels the running checks
            portal.call(checker.close)


async def _entered(subject: CheckTarget, workers: int) -> tuple[Checker, anyio.Semaphore]:
    return Checker(subject, workers=workers), anyio.Semaphore(workers)


async def _line(checker: Checker, room: anyio.Semaphore, number: int, line: str) -> tuple[str, str]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _malformed(number, f"not JSON: {error}")
    if not isinstance(given, dict) or not isinstance(given.get("code"), str):
        return _malformed(number, f"expected {_WANTED}")
    cwd, kind = given.get("cwd", "."), given.get("kind")
    if not isinstance(cwd, str) or kind not in _KINDS:
        return _malformed(number, 'cwd is a text, kind is "shell" or "python"')
    try:
        async with room:  # inside the limit, so that `seconds` does not count the wait
            found = await checker.check(_candidate(given["code"], kind), cwd)
    except UsageError as error:
        return _malformed(number, str(error))
    rest = {key: value for key, value in given.items() if key not in ("code", "kind")}
    return _json({**rest, **described(found)}), ""


def _lost(number: int, line: str, why: str) -> tuple[str, str]:
    """The result of a line whose jail failed to start twice. Other lines keep their results."""
    rest = {key: value for key, value in json.loads(line).items() if key not in ("code", "kind")}
    result = Check(CheckStatus.UNDECIDED, Reason.CANNOT_FOLLOW, f"no sandbox for line {number}: {why}")
    return _json({**rest, **described(result)}), ""


def _malformed(number: int, why: str) -> tuple[str, str]:
    result = Check(CheckStatus.UNDECIDED, Reason.MALFORMED_LINE, f"line {number}: {why}")
    return _json({"line": number, **described(result)}), f"line {number}: {why}"


def _json(result: dict[str, Any], indent: int | None = None) -> str:
    """JSON text that every terminal and file accepts: a lone surrogate is escaped."""
    text = json.dumps(result, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _candidate(code: str, kind: Kind | None) -> Candidate:
    language = language_of(code, kind)
    return Candidate(code, kind or language.kind, "given", language.fault)


def _subject(directory: Path, environment: Path | None) -> CheckTarget:
    if not directory.is_dir():
        raise UsageError(
            f"{directory}: {'is no' if directory.exists() else 'no such'} folder; name the folder of a repository"
        )
    if environment is not None and not (environment / "bin" / "python").exists():
        raise UsageError(f"{environment} is no virtual environment: it has no bin/python")
    return CheckTarget(CheckEnv(directory.resolve(), environment.resolve() if environment else None))
