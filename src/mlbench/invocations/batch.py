"""`mlbench probe`: commands and code from the command line or a file, and what the interface check says as JSON."""

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

from mlbench.invocations.check import Checker, Subject
from mlbench.invocations.server import Place
from mlbench.types import Candidate, Check, Kind, Status, UsageError
from mlbench.verdict.languages import language_of

_WANTED = 'an object with "code", and where it is not the root, "cwd"'


def described(check: Check) -> dict[str, Any]:
    """A check as JSON: the deciding invocation's program and configuration on top, all invocations below."""
    deciding = [each for each in check.invocations if each.status is check.status] or list(check.invocations)
    first = asdict(deciding[-1]) if deciding else {}
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
        "invocations": [asdict(invocation) for invocation in check.invocations],
    }


def probe_one(directory: Path, words: Sequence[str], cwd: str, environment: Path | None) -> str:
    """Check one command; a single word is a whole script.

    Raises:
        UsageError: the folder is none, or `cwd` is not in it.
    """
    code = words[0] if len(words) == 1 else shlex.join(words)

    async def check() -> Check:
        async with Checker(_subject(directory, environment)) as checker:
            return await checker.check(_candidate(code, None), cwd)

    return json.dumps(described(anyio.run(check)), indent=2, ensure_ascii=False)


def probe_batch(
    directory: Path, file: Path, environment: Path | None, workers: int | None
) -> Iterator[tuple[str, str]]:
    """Check every line of a file; yields, in order, the result as one line, and what is wrong with the line itself.

    What else stands in an object (an `id`) comes back with the result. A malformed line has a result that says so.

    Raises:
        UsageError: no such folder or file.
    """
    subject = _subject(directory, environment)
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    with anyio.from_thread.start_blocking_portal() as portal:
        checker = portal.call(_entered, subject, workers or len(os.sched_getaffinity(0)))
        try:
            under_way = [portal.start_task_soon(_line, checker, number, line) for number, line in numbered]
            for future in under_way:
                yield future.result()
        finally:
            portal.call(checker.close)


async def _entered(subject: Subject, workers: int) -> Checker:
    return Checker(subject, workers=workers)


async def _line(checker: Checker, number: int, line: str) -> tuple[str, str]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _malformed(number, f"no JSON: {error}")
    if not isinstance(given, dict) or not isinstance(given.get("code"), str):
        return _malformed(number, f"{_WANTED} is wanted")
    cwd, kind = given.get("cwd", "."), given.get("kind")
    if not isinstance(cwd, str) or kind not in (None, "shell", "python"):
        return _malformed(number, 'cwd is a text, kind is "shell" or "python"')
    try:
        check = await checker.check(_candidate(given["code"], kind), cwd)
    except UsageError as error:
        return _malformed(number, str(error))
    rest = {key: value for key, value in given.items() if key not in ("code", "kind")}
    return json.dumps({**rest, **described(check)}, ensure_ascii=False), ""


def _malformed(number: int, why: str) -> tuple[str, str]:
    result = Check(Status.UNDECIDED, "malformed-line", f"line {number}: {why}")
    return json.dumps({"line": number, **described(result)}, ensure_ascii=False), f"line {number}: {why}"


def _candidate(code: str, kind: Kind | None) -> Candidate:
    language = language_of(code, kind)
    return Candidate(code, kind or language.kind, "given", language.fault)


def _subject(directory: Path, environment: Path | None) -> Subject:
    if not directory.is_dir():
        raise UsageError(f"no folder {directory}")
    if environment is not None and not (environment / "bin" / "python").exists():
        raise UsageError(f"{environment} is no virtual environment: it has no bin/python")
    return Subject(Place(directory.resolve(), environment.resolve() if environment else None))
